// Subscriptions in production, where a payment gateway charges the periods after the first.

import { recordPurchase } from '@opentill/contract/operator-api/recordPurchase.ts';
import { expect, test } from 'vitest';
import { createTestApp, type HttpResponse, useTestServer } from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { stageEnv } from '../../../../test/support/renewals/renewal-stage.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';

const purchaseTime = Date.UTC(2026, 0, 30, 16); // 31 January, 01:00, in Seoul
const firstPeriodEnd = Date.UTC(2026, 1, 27, 16);

/** No charge falls due here. */
const gateway = { url: 'http://127.0.0.1:1/charge' };

const env = stageEnv(gateway, { timeZone: 'Asia/Seoul' });
const server = await useTestServer({ env, clock: new TestClock(purchaseTime) });
const path = await createTestApp(server);

async function recordAt(now: number, purchase: Readonly<Record<string, unknown>>): Promise<HttpResponse> {
  await server.clock.set(now);
  const body = { productId: 'monthly', purchaseTime, ...purchase };
  return callOperator(server, recordPurchase, { path, body });
}

test('production rejects a subscription exactly from the end of its first period, naming purchaseTime', async () => {
  const refused = await recordAt(firstPeriodEnd, { purchaseId: 'over' });
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: '/purchaseTime' }] } });
  const recorded = await recordAt(firstPeriodEnd - 1, { purchaseId: 'last' });
  expect(recorded).toMatchObject({ status: 201, body: { expiryTime: firstPeriodEnd } });
});

test('a repeated recording returns 200 in production long after its first period is over', async () => {
  const recorded = await recordAt(purchaseTime, { orderId: 'repeated' });
  expect(recorded.status).toBe(201);
  const repeated = await recordAt(firstPeriodEnd + 365 * 24 * 60 * 60 * 1000, { orderId: 'repeated' });
  expect([repeated.status, repeated.body]).toEqual([200, recorded.body]);
});
