// The pictures of the lab: an app with stops of several kinds, faults, and calls with hints.

import { PurchaseClient } from '@opentill/client';
import type { OperatorClient } from '@opentill/client/operator';
import type { Page } from 'playwright-core';

const packageName = 'com.example.lab';
const path = `/console/apps/${packageName}/lab`;

export const labShots = [
  {
    name: 'lab-choice',
    isSignedIn: true,
    path: '/console/lab',
    prepare: (page: Page) => page.getByText(packageName).waitFor(),
  },
  {
    name: 'lab',
    isSignedIn: true,
    path,
    async prepare(page: Page) {
      // On a narrow window, the lists are in tabs.
      const tab = page.getByRole('tab', { name: 'Happened' });
      for (const name of ['Events', 'Requests'])
        await page.getByRole('list', { name }).getByRole('listitem').first().or(tab).waitFor();
    },
  },
  {
    name: 'lab-empty',
    isSignedIn: true,
    path: '/console/apps/com.example.old/lab',
    prepare: (page: Page) => page.getByText('Nothing falls due.').waitFor(),
  },
  {
    name: 'lab-record',
    isSignedIn: true,
    path,
    async prepare(page: Page) {
      await page.getByRole('button', { name: 'Record purchase' }).click();
      await page.getByRole('dialog').getByLabel('Product').waitFor();
    },
  },
];

export async function fillLab(operator: OperatorClient, publicUrl: string): Promise<void> {
  const { clientId, clientSecret } = await operator.createApp({ packageName, name: 'The lab' });
  const product = { packageName, price: 499, currency: 'EUR' };
  await operator.putProduct({ ...product, productId: 'coins', type: 'one_time' });
  await operator.putProduct({ ...product, productId: 'club', type: 'subscription' });
  await operator.putClock({ packageName, mode: 'frozen' });
  await operator.recordPurchase({ packageName, productId: 'coins', purchaseId: 'COINS' });
  for (const purchaseId of ['LAB-1', 'LAB-2', 'LAB-3']) {
    await operator.advanceClock({ packageName, by: 'P2DT5H' });
    for (const name of [purchaseId, `${purchaseId}-B`])
      await operator.recordPurchase({ packageName, productId: 'club', purchaseId: name });
  }
  await operator.cancelSubscription({ packageName, firstPurchaseId: 'LAB-2-B' });
  await operator.putFaults({
    packageName,
    faults: [
      { operation: 'charge', outcome: 'declined', times: 1 },
      { operation: 'getPurchaseDetails', httpStatus: 503, times: 2 },
    ],
  });
  const { now, stops } = await operator.getClock({ packageName });
  await operator.advanceClock({ packageName, to: stops[0]?.time ?? now });
  const credentials = { packageName, clientId, clientSecret, environment: 'sandbox' } as const;
  const purchases = new PurchaseClient({ host: publicUrl, ...credentials });
  await purchases.getPurchaseDetails({ purchaseId: 'COINS' });
  await operator.putToken({ packageName, expiresIn: 0 });
  await purchases.consumePurchase({ purchaseId: 'COINS' });
}
