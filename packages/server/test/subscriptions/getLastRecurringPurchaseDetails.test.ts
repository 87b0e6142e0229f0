// getLastRecurringPurchaseDetails: the newest month of a subscription, only by its first purchase id.

import { getLastRecurringPurchaseDetails as operation } from '@opentill/contract/purchase-api/getLastRecurringPurchaseDetails.ts';
import { describe, expect, test } from 'vitest';
import { type TestApp, testNow, useTestServer } from '../harness.ts';
import { callPurchase, expectFailure } from '../purchase-api/purchase-call.ts';
import { voidTestPurchase } from '../purchase-changes.ts';
import {
  changedAt,
  firstExpiry,
  type Stage,
  secondExpiry,
  stageSubscription,
  writeSecondMonth,
} from './staged-subscription.ts';

const server = await useTestServer();

const read = (app: TestApp, purchaseId = 'S-1') =>
  callPurchase(server, operation, app, { path: { purchaseId } });

const month = `"startTime":${testNow},"expiryTime":${firstExpiry}`;
const renewing = `{${month},"nextPaymentTime":${firstExpiry},"autoRenewing":true,"lastPurchaseId":"S-1"}`;
const cancelled = `{${month},"autoRenewing":false,"cancelReason":"1","cancelledTime":${changedAt},"lastPurchaseId":"S-1"}`;

describe('getLastRecurringPurchaseDetails: success', () => {
  test.each<[Stage, string]>([
    ['active', renewing],
    ['auto-payment off', cancelled],
    ['payment outstanding', renewing],
    ['expired', cancelled],
    ['terminated', cancelled.replace(String(changedAt), String(firstExpiry))],
    ['voided', cancelled.replace(String(firstExpiry), String(changedAt))],
  ])('the last month of a subscription that is %s has only the fields that apply', async (stage, text) => {
    const answer = await read(await stageSubscription(server, stage));
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(text);
  });

  test('the last month of a renewed subscription is the second one', async () => {
    const app = await stageSubscription(server, 'active');
    await writeSecondMonth(server, app);
    expect((await read(app)).text).toBe(
      `{"startTime":${firstExpiry},"expiryTime":${secondExpiry},"nextPaymentTime":${secondExpiry},"autoRenewing":true,"lastPurchaseId":"S-2"}`,
    );
  });

  test('the second month is unchanged if the first one is voided', async () => {
    const app = await stageSubscription(server, 'active');
    await writeSecondMonth(server, app);
    const before = await read(app);
    await voidTestPurchase(server, app, 'S-1');
    expect((await read(app)).text).toBe(before.text);
  });
});

test('a purchase of the subscription other than its first is rejected with 9001', async () => {
  const app = await stageSubscription(server, 'active');
  await writeSecondMonth(server, app);
  expectFailure(await read(app, 'S-2'), 'notFound');
});
