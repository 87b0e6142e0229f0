// The three operations on a subscription reject everything that is not a subscription of their app.

import { getLastRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getLastRecurringPurchaseDetails.ts';
import { getRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import { manageRecurringPaymentStatus } from '@opentill/contract/purchase-api/manageRecurringPaymentStatus.ts';
import { expect, test } from 'vitest';
import { recordTestPurchase, type TestApp, useTestServer } from '../harness.ts';
import { callPurchase, expectFailure } from '../purchase-api/purchase-call.ts';
import { stageSubscription } from './staged-subscription.ts';

const operations = [
  getRecurringPurchaseDetails,
  getLastRecurringPurchaseDetails,
  manageRecurringPaymentStatus,
] as const;
type Operation = (typeof operations)[number];

const server = await useTestServer();

const callAs = (operation: Operation, app: TestApp, path: Readonly<Record<string, string>>) =>
  callPurchase(server, operation, app, { path: { purchaseId: 'S-1', action: 'cancel', ...path } });

test.each(operations)('$operationId of an invalid purchaseId is rejected with 9001', async (operation) => {
  const app = await stageSubscription(server, 'active');
  for (const purchaseId of ['S-none', 'S'.repeat(21), 'S-1%00']) {
    expectFailure(await callAs(operation, app, { purchaseId }), 'notFound');
  }
});

test.each(operations)(
  "$operationId of another app's subscription is rejected with 9001 under any package and changes nothing",
  async (operation) => {
    const app = await stageSubscription(server, 'active');
    const other = await stageSubscription(server, 'active');
    await recordTestPurchase(server, other, { productId: 'monthly', purchaseId: 'S-other' });
    const readOther = () =>
      callAs(getRecurringPurchaseDetails, other, { purchaseId: 'S-other' }).then(({ text }) => text);
    const before = await readOther();
    expect(JSON.parse(before)).toMatchObject({ autoRenewing: true });
    for (const packageName of [other.packageName, 'p'.repeat(129)]) {
      expectFailure(await callAs(operation, app, { packageName }), 'notFound');
      expectFailure(await callAs(operation, app, { packageName, purchaseId: 'S-other' }), 'notFound');
    }
    expectFailure(await callAs(operation, app, { purchaseId: 'S-other' }), 'notFound');
    expect(await readOther()).toBe(before);
  },
);
