// What a server leaves behind that is killed while its clock is a year ahead: leases until next year.

import { expect, test } from 'vitest';
import { advance, freeze, readClock } from '../app-clock/clock-calls.ts';
import { testNow, useForFile } from '../harness.ts';
import { leaseClock, leaseWebhook } from '../stage.ts';
import { buy, nextHookedApp, receivedOf, startWebhookStage } from '../webhooks/webhook-stage.ts';

const minuteMs = 60_000;
const nextYear = testNow + 365 * 24 * 60 * minuteMs;

const stage = await useForFile(startWebhookStage());

test('a webhook whose lease ends next year gets its events at once', async () => {
  const app = await nextHookedApp(stage);
  await leaseWebhook(stage.server, app, nextYear);
  await buy(stage, app, 'P-1');
  await stage.job.runOnce();
  expect(receivedOf(stage, app)).toHaveLength(1);
});

test('an app whose clock is leased until next year can be advanced and gets its events', async () => {
  const app = await nextHookedApp(stage);
  await freeze(stage.server, app);
  await leaseClock(stage.server, app, { until: nextYear });
  await buy(stage, app, 'P-1');
  await stage.job.runOnce();
  expect(receivedOf(stage, app)).toHaveLength(1);
  await advance(stage.server, app, { by: 'PT1M' });
  expect((await readClock(stage.server, app)).now).toBe(testNow + minuteMs);
});
