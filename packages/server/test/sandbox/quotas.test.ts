// The limits of a sandbox that many developers use: what one app does must not use up what the others need.

import { recordPurchase } from '@opentill/contract/operator-api/recordPurchase.ts';
import { testWebhook } from '@opentill/contract/operator-api/testWebhook.ts';
import { expect, test } from 'vitest';
import { newTestApp, operate, useTestServer } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';

const server = await useTestServer({
  env: { OPENTILL_SANDBOX_PURCHASES_PER_APP: '2', OPENTILL_SANDBOX_TEST_WEBHOOKS_PER_MINUTE: '3' },
});

test('an app with as many purchases as OPENTILL_SANDBOX_PURCHASES_PER_APP gets 429, except for one that is already recorded', async () => {
  const path = await newTestApp(server);
  const statusOf = async (orderId: string) => {
    const body = { productId: 'coins', orderId };
    return (await callOperator(server, recordPurchase, { path, body })).status;
  };
  expect(await statusOf('1')).toBe(201);
  expect(await statusOf('2')).toBe(201);
  expect(await statusOf('3')).toBe(429);
  expect(await statusOf('2')).toBe(200);
  expect((await operate(server, 'POST', `/apps/${path.packageName}/reset`)).status).toBe(204);
  expect(await statusOf('3')).toBe(201);
});

test('an app gets 429 after OPENTILL_SANDBOX_TEST_WEBHOOKS_PER_MINUTE test events within a minute', async () => {
  const path = await newTestApp(server);
  const body = { url: 'https://receiver.example/' };
  await operate(server, 'PUT', `/apps/${path.packageName}/webhook`, { body });
  const sendTest = () => callOperator(server, testWebhook, { path });
  for (let count = 1; count <= 3; count += 1) expect((await sendTest()).status).toBe(201);
  const rejected = await sendTest();
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '60']);
  await server.clock.advance(60_000);
  expect((await sendTest()).status).toBe(201);
});
