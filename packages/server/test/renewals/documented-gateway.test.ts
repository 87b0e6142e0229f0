// Checks the request in docs/payment-gateway.md and runs its example unchanged.

import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import {
  call,
  createTestApp,
  recordTestPurchase,
  startTestServer,
  useForFile,
} from '../../../../test/support/harness.ts';
import { document, runExample } from '../../../../test/support/renewals/documented-gateway.ts';
import {
  dayMs,
  keyOf,
  openJobWith,
  shownSubscription,
  stageEnv,
} from '../../../../test/support/renewals/renewal-stage.ts';
import { gatewaySecret, startTestGateway } from '../../../../test/support/renewals/test-gateway.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { httpGateway } from '../../src/charging/gateways/http-gateway.ts';
import type { ChargeRequest } from '../../src/charging/gateways/payment-gateway.ts';
import { systemClock } from '../../src/runtime/clock.ts';

const charge: ChargeRequest = {
  idempotencyKey: '00112233445566778899aabbccddeeff/com.example.game/26111512000012345678/3/1',
  packageName: 'com.example.game',
  productId: 'monthly',
  firstPurchaseId: '26111512000012345678',
  buyerId: 'ann',
  developerPayload: 'order-7',
  period: 'P1M',
  periodIndex: 3,
  attempt: 1,
  price: 499,
  currency: 'EUR',
  startTime: Date.UTC(2027, 1, 15, 12),
};

test('the documented request is one that is sent, with a signature of Standard Webhooks', async () => {
  const [head = '', body = ''] = (/```text\nPOST .*\n([\s\S]*?)\n```/.exec(document)?.[1] ?? '').split(
    '\n\n',
  );
  const headers = Object.fromEntries(head.split('\n').map((line) => line.split(': ')));
  const secretText = /whsec_[\w+/]+=/.exec(document)?.[0] ?? '';
  const seconds = Number(headers['webhook-timestamp']);
  const library = new Webhook(secretText);
  const signature = library.sign(headers['webhook-id'], new Date(seconds * 1_000), body);
  expect(headers['webhook-signature']).toBe(signature);
  await using gateway = await startTestGateway();
  const secret = Buffer.from(secretText.replace('whsec_', ''), 'base64');
  const clock = new TestClock(seconds * 1_000 + 999);
  await httpGateway({ url: gateway.url, secret }, { clock }).charge(charge);
  expect(gateway.requests).toEqual([{ headers: expect.objectContaining(headers), body }]);
});

const example = await useForFile(runExample());

test('the documented example charges once for each key and declines what it documents', async () => {
  // The example rejects a signature whose time is not the current one.
  const clock = new TestClock(systemClock.now() - 40 * dayMs);
  await using server = await startTestServer({ clock, env: stageEnv(example) });
  const app = await createTestApp(server);
  for (const buyerId of ['ann', 'broke-ben', 'closed-cy']) {
    await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: buyerId, buyerId });
  }
  await clock.set(systemClock.now());
  const gateway = httpGateway({ url: example.url, secret: gatewaySecret }, { clock });
  await using one = openJobWith(server, { gateway, environment: 'production' });
  await one.job.runOnce();
  const states = ['ann', 'broke-ben', 'closed-cy'].map(
    async (id) => (await shownSubscription({ server, app }, id)).state,
  );
  expect(await Promise.all(states)).toEqual(['active', 'paymentOutstanding', 'expired']);
  const repeated = { ...charge, idempotencyKey: keyOf(app, 'ann', 1, 1) };
  expect(await gateway.charge(repeated)).toEqual({ outcome: 'paid' });
  expect(example.output().match(/charging 499 EUR for .*\/ann\/1\/1$/gm)).toHaveLength(1);
});

test('the documented example rejects a request that is unsigned, signed with another secret or stale', async () => {
  const send = async (secret: Buffer, now: number) =>
    httpGateway({ url: example.url, secret }, { clock: new TestClock(now) }).charge(charge);
  const refused = { outcome: 'unknown', status: 401, reason: 'status 401' };
  expect(await send(Buffer.alloc(32, 1), systemClock.now())).toEqual(refused);
  expect(await send(gatewaySecret, systemClock.now() - 301_000)).toEqual(refused);
  expect(await send(gatewaySecret, systemClock.now() + 301_000)).toEqual(refused);
  expect((await call(example.url, { method: 'POST', body: '{}' })).status).toBe(401);
  expect(await send(gatewaySecret, systemClock.now())).toEqual({ outcome: 'paid' });
});
