// What a server does if requests arrive through a proxy that its settings do not mention.

import { putWebhook } from '@opentill/contract/operator-api/putWebhook.ts';
import { testWebhook } from '@opentill/contract/operator-api/testWebhook.ts';
import { expect, test } from 'vitest';
import { call, newTestApp, operatorOf, startTestServer } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { waitFor } from '../wait-for.ts';
import { startTestReceiver } from '../webhooks/test-receiver.ts';

test.each(['x-forwarded-for', 'forwarded', 'x-forwarded-proto', 'x-real-ip', 'via'])(
  'a request with %s while no proxy is configured ends webhooks to loopback and logs one warning',
  async (header) => {
    await using receiver = await startTestReceiver();
    const logLines: string[] = [];
    await using server = await startTestServer({ logLines, runsJobs: true });
    const { packageName } = await newTestApp(server);
    const path = { packageName };
    const body = { url: receiver.url };
    expect((await callOperator(server, putWebhook, { path, body })).status).toBe(201);
    for (const _ of [1, 2]) await call(`${server.publicUrl}/none`, { headers: { [header]: '192.0.2.1' } });
    const refused = await callOperator(server, putWebhook, { path, body });
    expect([refused.status, refused.body.detail]).toEqual([400, 'url: expected a public address.']);
    await callOperator(server, testWebhook, { path });
    const delivery = await waitFor(
      async () =>
        (await operatorOf(server).listDeliveries({ packageName })).deliveries.find(
          ({ attempts }) => attempts.length > 0,
        ),
      { deadlineMs: 10_000, what: 'an attempt' },
    );
    expect(delivery.attempts[0]).toMatchObject({ failure: 'addressRefused' });
    expect(receiver.received).toEqual([]);
    expect(logLines.filter((line) => line.includes('OPENTILL_BEHIND_TLS_PROXY'))).toHaveLength(1);
  },
);
