// Deliveries while a clock is wrong.

import { expect, test } from 'vitest';
import { testNow, useForFile } from '../harness.ts';
import { storedDeliveries } from '../stage.ts';
import { TestClock } from '../test-clock.ts';
import { answering } from '../webhooks/test-receiver.ts';
import { buy, nextHookedApp, openJob, receivedOf, startWebhookStage } from '../webhooks/webhook-stage.ts';

const yearMs = 365 * 24 * 60 * 60 * 1000;

const stage = await useForFile(startWebhookStage());

test('a delivery that fails while the server is a year ahead of the database is not given up', async () => {
  const app = await nextHookedApp(stage);
  await using held = openJob(stage.server, undefined, { databaseClock: new TestClock(testNow) });
  stage.receiver.react(() => answering(503));
  await buy(stage, app, 'P-1');
  await held.job.runOnce();
  stage.server.clock.advance(yearMs);
  await held.job.runOnce();
  expect(await storedDeliveries(stage.server, app)).toMatchObject([
    { state: 'waiting', schedule_attempts: 1 },
  ]);
  expect(receivedOf(stage, app)).toHaveLength(2);
});
