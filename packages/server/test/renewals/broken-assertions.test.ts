// A broken assertion of the renewal job is an alert about one app, which is queued again, and stops no other.

import { fail } from 'node:assert/strict';
import { expect, test } from 'vitest';
import { createTestApp, useForFile } from '../../../../test/support/harness.ts';
import {
  eventsOf,
  firstDue,
  nextSubscription,
  openJob,
  passTo,
  startRenewalStage,
  subscribe,
} from '../../../../test/support/renewals/renewal-stage.ts';
import { attemptLeaseMs } from '../../src/domain/clocks/leases.ts';

const stage = await useForFile(startRenewalStage());
const broken = 'an assertion is broken';

/** Breaks one assertion: in the first turn that begins something. */
function breaksOnce(): (point: string) => void {
  let isBroken = false;
  return (point) => {
    if (point !== 'afterAttempt' || isBroken) return;
    isBroken = true;
    fail(broken);
  };
}

test('an app whose assertion is broken is logged as an alert and renewed after its lease, and the other apps are renewed at once', async () => {
  const other = { ...stage, app: await createTestApp(stage.server, 'com.other.app') };
  await subscribe(stage, 'B-1');
  await subscribe(other, 'B-2');
  const found: string[] = [];
  const testing = { crashPoints: breaksOnce(), onBroken: ({ message }: Error) => found.push(message) };
  await using opened = openJob(stage.server, stage, { testing });
  const passed = { clock: stage.clock, job: opened.job };
  await passTo(passed, firstDue);
  expect(found).toEqual([broken]);
  const renewed = async () => {
    const events = [...(await eventsOf(stage, 'B-1')), ...(await eventsOf(stage, 'B-2'))];
    return events.filter((type) => type === 'renewed').length;
  };
  expect(await renewed()).toBe(1);
  expect(stage.told.logLines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 50, code: 'renewalsBroken', err: { message: broken } },
  ]);
  await passTo(passed, firstDue + attemptLeaseMs);
  expect(await renewed()).toBe(2);
  expect(found).toEqual([broken]);
});

test('a broken assertion fails the poll of a job whose test expects none', async () => {
  await nextSubscription(stage);
  await using opened = openJob(stage.server, stage, { testing: { crashPoints: breaksOnce() } });
  await expect(passTo({ clock: stage.clock, job: opened.job }, firstDue)).rejects.toThrow(broken);
});
