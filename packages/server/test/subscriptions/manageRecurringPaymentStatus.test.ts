// manageRecurringPaymentStatus: cancel and reactivate in each state of a subscription; rejected changes have no effect.

import { getLastRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getLastRecurringPurchaseDetails.ts';
import { getRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import { manageRecurringPaymentStatus as operation } from '@opentill/contract/purchase-api/manageRecurringPaymentStatus.ts';
import { expect, test } from 'vitest';
import { operate, type TestApp, useTestServer } from '../../../../test/support/harness.ts';
import { callPurchase, expectFailure } from '../../../../test/support/http/purchase-call.ts';
import {
  changedAt,
  firstExpiry,
  secondExpiry,
  stageSubscription,
  writeSecondPeriod,
} from './staged-subscription.ts';

const server = await useTestServer();

const manage = (app: TestApp, action: string, { purchaseId = 'S-1', packageName = app.packageName } = {}) =>
  callPurchase(server, operation, app, { path: { purchaseId, packageName, action } });

const details = async (app: TestApp) =>
  (await callPurchase(server, getRecurringPurchaseDetails, app, { path: { purchaseId: 'S-1' } })).body;

/** The stored subscription with its history. */
async function recordOf({ packageName }: TestApp) {
  const subscription = await operate(server, 'GET', `/apps/${packageName}/subscriptions/S-1`);
  const purchase = await operate(server, 'GET', `/apps/${packageName}/purchases/S-1`);
  return { subscription: subscription.body, purchase: purchase.body };
}

test('a cancel of an active subscription sets autoRenewing false and cancelReason "1", and access lasts until expiryTime', async () => {
  const app = await stageSubscription(server, 'active');
  const response = await manage(app, 'cancel');
  expect(response.status).toBe(200);
  expect(response.text).toBe('{"responseCode":0,"purchaseId":"S-1"}');
  const shown = await details(app);
  expect(shown).not.toHaveProperty('nextPaymentTime');
  const cancelled = { autoRenewing: false, cancelReason: '1', cancelledTime: changedAt };
  expect(shown).toMatchObject({ ...cancelled, expiryTime: firstExpiry });
  const { subscription, purchase } = await recordOf(app);
  expect(subscription.state).toBe('autoPaymentOff');
  const requestId = response.headers.get('x-request-id');
  expect(purchase.history.at(-1)).toMatchObject({ eventTime: changedAt, madeBy: 'app', requestId });
});

test.each(['S-1', 'S-2'])(
  'a cancel by the purchase %s applies to the whole subscription, and the response names that purchase',
  async (purchaseId) => {
    const app = await stageSubscription(server, 'active');
    await writeSecondPeriod(server, app);
    expect((await manage(app, 'cancel', { purchaseId })).text).toBe(
      `{"responseCode":0,"purchaseId":"${purchaseId}"}`,
    );
    const path = { purchaseId: 'S-1' };
    const { body } = await callPurchase(server, getLastRecurringPurchaseDetails, app, { path });
    expect(body).toMatchObject({ autoRenewing: false, expiryTime: secondExpiry, lastPurchaseId: 'S-2' });
  },
);

test('one of many concurrent cancels returns responseCode 0 and the others 1', async () => {
  const app = await stageSubscription(server, 'active');
  const responses = await Promise.all(Array.from({ length: 20 }, () => manage(app, 'cancel')));
  const codes = responses.map(({ body }) => body.responseCode);
  expect(codes.filter((code) => code === 0)).toHaveLength(1);
  expect((await recordOf(app)).purchase.history).toHaveLength(2);
});

test.each(['CANCEL', 'reactivate2', 'cancel%2F'])(
  'the action %s is rejected with 9000 and changes nothing',
  async (action) => {
    const app = await stageSubscription(server, 'active');
    const before = await recordOf(app);
    expectFailure(await manage(app, action), 'invalidRequest', 'action');
    expect(await recordOf(app)).toEqual(before);
  },
);
