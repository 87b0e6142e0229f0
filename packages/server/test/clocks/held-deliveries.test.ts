// Deliveries while the clock of their server is wrong.

import { expect, test } from 'vitest';
import { testNow, useForFile } from '../harness.ts';
import { storedDeliveries } from '../stage.ts';
import { answering } from '../webhooks/test-receiver.ts';
import { buy, nextHookedApp, openJob, receivedOf, startWebhookStage } from '../webhooks/webhook-stage.ts';

const yearMs = 365 * 24 * 60 * 60 * 1000;

const stage = await useForFile(startWebhookStage());

test('a server whose clock has jumped by a year makes no attempt that is not due by the time of the database', async () => {
  const app = await nextHookedApp(stage);
  let now = testNow;
  await using jumping = openJob(stage.server, undefined, { clock: { now: () => now } });
  stage.receiver.react(() => answering(503));
  await buy(stage, app, 'P-1');
  await jumping.job.runOnce();
  now = testNow + yearMs;
  await jumping.job.runOnce();
  expect(receivedOf(stage, app)).toHaveLength(1);
  await stage.server.clock.advance(5_000);
  await jumping.job.runOnce();
  expect(receivedOf(stage, app)).toHaveLength(2);
  const [delivery] = await storedDeliveries(stage.server, app);
  expect(delivery?.['due_time']).toBeLessThan(testNow + 60_000);
});
