// The limit of a sandbox that many developers use: what one app sends must not use up what the others need.

import { testWebhook } from '@opentill/contract/operator-api/testWebhook.ts';
import { expect, test } from 'vitest';
import { newTestApp, operate, useTestServer } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';

const server = await useTestServer();

test('an app gets 429 after 60 test events within a minute', async () => {
  const path = await newTestApp(server);
  const body = { url: 'https://receiver.example/' };
  await operate(server, 'PUT', `/apps/${path.packageName}/webhook`, { body });
  const sendTest = () => callOperator(server, testWebhook, { path });
  for (let count = 1; count <= 60; count += 1) expect((await sendTest()).status).toBe(201);
  const rejected = await sendTest();
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '60']);
  await server.clock.advance(60_000);
  expect((await sendTest()).status).toBe(201);
});
