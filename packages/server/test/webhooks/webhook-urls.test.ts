import { getWebhook } from '@opentill/contract/operator-api/getWebhook.ts';
import { putWebhook } from '@opentill/contract/operator-api/putWebhook.ts';
import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { expect, test } from 'vitest';
import { adminKey, newTestApp, supportKey, useTestServer } from '../harness.ts';
import { callOperator, callSandbox } from '../operator-api/checked-call.ts';

const server = await useTestServer();

test('a support key sees only the origin of a webhook URL, and an admin key and the app itself see all of it', async () => {
  const app = await newTestApp(server);
  const url = 'https://hooks.example:8443/path?key=secret';
  await callOperator(server, putWebhook, { path: app, body: { url } });
  const urlFor = async (key: string) => (await callOperator(server, getWebhook, { path: app, key })).body.url;
  expect(await urlFor(supportKey)).toBe('https://hooks.example:8443');
  expect(await urlFor(adminKey)).toBe(url);
  expect((await callSandbox(server, sandboxApi.getWebhook, { key: app.token })).body.url).toBe(url);
});
