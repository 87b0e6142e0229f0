// Where webhooks may go, by the settings of the server.

import { putWebhook } from '@opentill/contract/operator-api/putWebhook.ts';
import { expect, test } from 'vitest';
import { createTestApp, startTestServer, useForFile } from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import {
  buy,
  deliveriesOf,
  nextHookedApp,
  openJob,
  receivedOf,
  startWebhookStage,
} from '../../../../test/support/webhooks/webhook-stage.ts';

const stage = await useForFile(startWebhookStage());

test.each([
  ['sandbox', '', 'http://127.0.0.1:9000/', 'http://hooks.example/'],
  ['sandbox', 'loopback', 'http://10.1.0.1/', 'http://127.0.0.1:9000/'],
  ['production', '', 'http://hooks.example/', 'https://hooks.example/'],
  ['production', '10.1.0.0/16', 'https://10.2.0.1/', 'https://10.1.0.1/'],
])(
  'a server of a %s that allows "%s" rejects %s and accepts %s',
  async (environment, allowed, wrong, right) => {
    const env = { OPENTILL_ENVIRONMENT: environment, OPENTILL_WEBHOOK_ALLOW: allowed };
    await using server = await startTestServer({ env });
    const app = await createTestApp(server);
    const statusOf = async (url: string) =>
      (await callOperator(server, putWebhook, { path: app, body: { url } })).status;
    expect(await statusOf(wrong)).toBe(400);
    expect(await statusOf(right)).toBe(201);
  },
);

test('the destination is checked again on each attempt, because the rules may have changed', async () => {
  const hooked = await nextHookedApp(stage);
  const rules = { allowsHttp: false, allowsLoopback: false, allowedRanges: [] };
  await using stricter = openJob(stage.server, undefined, { rules });
  await buy(stage, hooked, 'P-1');
  await stricter.job.runOnce();
  expect(receivedOf(stage, hooked)).toEqual([]);
  expect(await deliveriesOf(stage, hooked)).toMatchObject([
    { state: 'waiting', attempts: [{ failure: 'addressRefused', latencyMs: 0 }] },
  ]);
});
