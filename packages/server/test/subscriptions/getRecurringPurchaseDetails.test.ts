// getRecurringPurchaseDetails: the exact details of a period in each state of the subscription, and
// getLastRecurringPurchaseDetails: those of its newest period.

import { getLastRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getLastRecurringPurchaseDetails.ts';
import { getRecurringPurchaseDetails as operation } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import { describe, expect, test } from 'vitest';
import { voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import { type TestApp, testNow, useTestServer } from '../../../../test/support/harness.ts';
import { callPurchase, expectFailure } from '../../../../test/support/http/purchase-call.ts';
import {
  changedAt,
  firstExpiry,
  type Stage,
  secondExpiry,
  stageSubscription,
  writeSecondPeriod,
} from './staged-subscription.ts';

const server = await useTestServer();

const read = (app: TestApp, purchaseId = 'S-1') =>
  callPurchase(server, operation, app, { path: { purchaseId } });

const start = `"startTime":${testNow}`;
const paid = '"price":499,"developerPayload":"order-1","purchaseState":0';
const renewing = `{${start},"expiryTime":${firstExpiry},"nextPaymentTime":${firstExpiry},"autoRenewing":true,${paid}}`;
const cancelled = `{${start},"expiryTime":${firstExpiry},"autoRenewing":false,${paid},"cancelReason":"1","cancelledTime":${changedAt}}`;
const terminated = `{${start},"expiryTime":${firstExpiry},"autoRenewing":false,${paid},"cancelReason":"1","cancelledTime":${firstExpiry}}`;
const voided = `{${start},"expiryTime":${changedAt},"autoRenewing":false,"price":499,"developerPayload":"order-1","purchaseState":1,"cancelReason":"1","cancelledTime":${changedAt}}`;

test.each<[Stage, string]>([
  ['active', renewing],
  ['auto-payment off', cancelled],
  ['payment outstanding', renewing],
  ['expired', cancelled],
  ['terminated', terminated],
  ['voided', voided],
])('a subscription that is %s shows only the fields that apply', async (stage, text) => {
  const response = await read(await stageSubscription(server, stage));
  expect(response.status).toBe(200);
  expect(response.text).toBe(text);
});

describe('getRecurringPurchaseDetails: renewed subscription', () => {
  const second = `{"startTime":${firstExpiry},"expiryTime":${secondExpiry},"nextPaymentTime":${secondExpiry},"autoRenewing":true,${paid}}`;

  test('a renewed first period shows autoRenewing true without nextPaymentTime, and the second period its own', async () => {
    const app = await stageSubscription(server, 'active');
    await writeSecondPeriod(server, app);
    expect((await read(app, 'S-1')).text).toBe(
      `{${start},"expiryTime":${firstExpiry},"autoRenewing":true,${paid}}`,
    );
    expect((await read(app, 'S-2')).text).toBe(second);
  });

  test('a voided first period shows purchaseState 1 and its own cancellation, and the second is unchanged', async () => {
    const app = await stageSubscription(server, 'active');
    await writeSecondPeriod(server, app);
    await voidTestPurchase(server, app, 'S-1', 'customer');
    const { body } = await read(app, 'S-1');
    expect(body).toMatchObject({ purchaseState: 1, cancelReason: '0', cancelledTime: changedAt });
    expect(body.expiryTime).toBeLessThanOrEqual(firstExpiry);
    expect((await read(app, 'S-2')).text).toBe(second);
  });

  test('a voided second period ends the subscription, and the first period is unchanged', async () => {
    const app = await stageSubscription(server, 'payment outstanding');
    await writeSecondPeriod(server, app);
    await server.clock.advance(1_000);
    await voidTestPurchase(server, app, 'S-2');
    const end = firstExpiry + 1_000;
    expect((await read(app, 'S-2')).text).toBe(
      `{"startTime":${firstExpiry},"expiryTime":${end},"autoRenewing":false,"price":499,"developerPayload":"order-1","purchaseState":1,"cancelReason":"1","cancelledTime":${end}}`,
    );
    expect((await read(app, 'S-1')).body).toMatchObject({ purchaseState: 0, expiryTime: firstExpiry });
  });
});

test('the last period of a renewed subscription is the second one, and only the first purchase id finds it', async () => {
  const app = await stageSubscription(server, 'active');
  await writeSecondPeriod(server, app);
  const readLast = (purchaseId: string) =>
    callPurchase(server, getLastRecurringPurchaseDetails, app, { path: { purchaseId } });
  expect((await readLast('S-1')).text).toBe(
    `{"startTime":${firstExpiry},"expiryTime":${secondExpiry},"nextPaymentTime":${secondExpiry},"autoRenewing":true,"lastPurchaseId":"S-2"}`,
  );
  expectFailure(await readLast('S-2'), 'notFound');
});
