// Subscriptions for the screenshots, and the pages that show them.

import type { OperatorClient } from '@opentill/client/operator';
import type { Page } from 'playwright-core';

const packageName = 'com.example.music';
const product = { packageName, productId: 'club_monthly' } as const;

/** A life with a late payment, a voided month, a cancel that was taken back, and an outstanding payment; and three others. */
export async function fillSubscriptions(operator: OperatorClient): Promise<void> {
  await operator.createApp({ packageName, name: 'Music Club' });
  await operator.putProduct({ ...product, type: 'subscription', price: 999, currency: 'EUR' });
  await operator.putClock({ packageName, mode: 'frozen' });
  await operator.recordPurchase({ ...product, purchaseId: 'S-old', buyerId: 'B-1' });
  await operator.advanceClock({ packageName, by: 'P9Y' });
  await operator.recordPurchase({ ...product, purchaseId: 'S-life', buyerId: 'B-1042' });
  await operator.putFaults({ packageName, faults: [{ operation: 'charge', outcome: 'declined', times: 4 }] });
  await operator.advanceClock({ packageName, by: 'P1M3D' });
  const { lastPurchaseId } = await operator.getSubscription({ packageName, firstPurchaseId: 'S-life' });
  await operator.advanceClock({ packageName, by: 'P2M' });
  const fraud = { reasonCode: 'fraud', note: 'The card was reported as stolen' } as const;
  await operator.voidPurchase({ packageName, purchaseId: lastPurchaseId, ...fraud });
  const life = { packageName, firstPurchaseId: 'S-life' } as const;
  await operator.cancelSubscription({
    ...life,
    reasonCode: 'customerRequest',
    note: 'By phone',
    ticket: 'T-481',
  });
  await operator.advanceClock({ packageName, by: 'P2D' });
  await operator.reactivateSubscription({
    ...life,
    reasonCode: 'customerRequest',
    note: 'Changed their mind',
  });
  await operator.advanceClock({ packageName, by: 'P2M' });
  await operator.recordPurchase({ ...product, purchaseId: 'S-new', buyerId: 'B-7' });
  await operator.recordPurchase({ ...product, purchaseId: 'S-off' });
  await operator.cancelSubscription({ packageName, firstPurchaseId: 'S-off', reasonCode: 'customerRequest' });
  await operator.putFaults({ packageName, faults: [{ operation: 'charge', outcome: 'declined' }] });
  // Within the 48 hours of retries, whatever the length of the month.
  const { expiryTime } = await operator.getSubscription(life);
  await operator.advanceClock({ packageName, to: expiryTime + 86_400_000 });
}

const pathTo = (firstPurchaseId: string) => `/console/apps/${packageName}/subscriptions/${firstPurchaseId}`;

const picture = (page: Page) => page.getByRole('img', { name: /^From / }).waitFor();

export const subscriptionShots = [
  {
    name: 'subscriptions',
    isSignedIn: true,
    path: '/console/subscriptions',
    prepare: (page: Page) => page.getByText('S-life').first().waitFor(),
  },
  {
    name: 'subscriptions-none',
    isSignedIn: true,
    path: `/console/subscriptions?packageName=${packageName}&state=terminated`,
    prepare: (page: Page) => page.getByText('Nothing matches').waitFor(),
  },
  { name: 'subscription', isSignedIn: true, path: pathTo('S-life'), prepare: picture },
  { name: 'subscription-long', isSignedIn: true, path: `${pathTo('S-old')}?tab=charges`, prepare: picture },
  { name: 'subscription-new', isSignedIn: true, path: `${pathTo('S-off')}?tab=events`, prepare: picture },
  {
    name: 'subscription-cancel',
    isSignedIn: true,
    path: pathTo('S-life'),
    async prepare(page: Page) {
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'subscription-table',
    isSignedIn: true,
    path: pathTo('S-life'),
    async prepare(page: Page) {
      await picture(page);
      await page.getByRole('button', { name: 'Show as table' }).click();
    },
  },
  {
    name: 'subscription-missing',
    isSignedIn: true,
    path: pathTo('S-none'),
    prepare: (page: Page) => page.getByRole('alert').first().waitFor(),
  },
];
