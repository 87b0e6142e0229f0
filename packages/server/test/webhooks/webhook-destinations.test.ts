// Where webhooks may go, by the settings of the server.

import { putWebhook } from '@opentill/contract/operator-api/putWebhook.ts';
import { expect, test } from 'vitest';
import { call, createTestApp, startTestServer, useForFile, useTwoTestServers } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import {
  buy,
  createHookedApp,
  deliveriesOf,
  openJob,
  receivedOf,
  startWebhookStage,
} from './webhook-stage.ts';

const stage = await useForFile(startWebhookStage());

test('two servers of a sandbox that does not allow loopback reject its addresses, whatever requests they see', async () => {
  const servers = await useTwoTestServers({ env: { OPENTILL_WEBHOOK_ALLOW: '' } });
  const app = await createTestApp(servers[0]);
  await call(`${servers[0].publicUrl}/v2/none`, { headers: { 'x-forwarded-for': '192.0.2.1' } });
  for (const server of servers) {
    const statusOf = async (host: string) =>
      (await callOperator(server, putWebhook, { path: app, body: { url: `http://${host}:9000/` } })).status;
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) expect(await statusOf(host)).toBe(400);
    expect(await statusOf('hooks.example')).toBeLessThan(300);
  }
});

test('production allows public https destinations and the ranges that the operator allows', async () => {
  const env = { OPENTILL_ENVIRONMENT: 'production', OPENTILL_WEBHOOK_ALLOW: '10.1.0.0/16, fd00::/8' };
  await using production = await startTestServer({ env });
  const app = await createTestApp(production);
  const statusOf = async (url: string) =>
    (await callOperator(production, putWebhook, { path: app, body: { url } })).status;
  const refused = [
    'http://hooks.example/',
    'https://127.0.0.1/',
    'https://10.2.0.1/',
    'https://169.254.169.254/',
  ];
  for (const url of refused) expect([url, await statusOf(url)]).toEqual([url, 400]);
  expect(await statusOf('https://10.1.0.1/')).toBe(201);
  expect(await statusOf('https://[fd00::1]:8443/')).toBe(200);
  expect(await statusOf('https://hooks.example/')).toBe(200);
});

test('the destination is checked again on each attempt, because the rules may have changed', async () => {
  const hooked = await createHookedApp(stage, stage.nextPackageName());
  const rules = { allowsHttp: false, allowsLoopback: false, allowedRanges: [] };
  await using stricter = openJob(stage.server, undefined, { rules });
  await buy(stage, hooked, 'P-1');
  await stricter.job.runOnce();
  expect(receivedOf(stage, hooked)).toEqual([]);
  expect(await deliveriesOf(stage, hooked)).toMatchObject([
    { state: 'waiting', attempts: [{ failure: 'addressRefused', latencyMs: 0 }] },
  ]);
});
