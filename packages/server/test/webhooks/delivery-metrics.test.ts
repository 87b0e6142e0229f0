// The delivery metrics in /metrics of a whole server that runs its jobs.

import { test } from 'vitest';
import { call, startTestServer, useForFile } from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { answering } from './test-receiver.ts';
import { buy, nextHookedApp, startWebhookStage } from './webhook-stage.ts';

const stage = await useForFile(startWebhookStage());

test('the metrics count attempts by outcome and report the age of the oldest undelivered event from the start', async () => {
  const { clock, connection } = stage.server;
  const app = await nextHookedApp(stage);
  stage.receiver.react(({ body }) => answering(body.purchaseId === 'P-1' ? 500 : 204));
  await buy(stage, app, 'P-1');
  await clock.advance(4_000);
  const database = { connection, [Symbol.asyncDispose]: async () => undefined };
  await using working = await startTestServer({ database, clock, runsJobs: true });
  await buy(stage, app, 'P-2');
  const metrics = async () => (await call(`${working.operatorUrl}/metrics`)).text;
  for (const line of [
    'opentill_oldest_undelivered_event_seconds 4',
    'opentill_webhook_attempts_total{outcome="failed"} 1',
    'opentill_webhook_attempts_total{outcome="delivered"} 1',
  ]) {
    const isReported = async () => (await metrics()).split('\n').includes(line);
    await waitFor(isReported, { what: line });
  }
});
