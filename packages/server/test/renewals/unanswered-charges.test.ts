// The ledger of two servers that are killed now and then, next to gateways that leave a share of the charges unanswered.

import { expect, test } from 'vitest';
import { createTestApp, useForFile } from '../../../../test/support/harness.ts';
import {
  dayMs,
  firstDue,
  hourMs,
  openJob,
  secondDue,
  stageStart,
  startRenewalStage,
  subscribe,
} from '../../../../test/support/renewals/renewal-stage.ts';
import { auditSubscriptions } from '../../../../test/support/renewals/subscription-audit.ts';
import { minuteMs } from '../../src/domain/time.ts';
import type { CrashPoint } from '../../src/runtime/crash-points.ts';

const subscriptions = 24;
const retries = [hourMs, 9 * dayMs, 18 * dayMs];

/** After the due time: backoff of unanswered charges, and the schedule of declined ones. */
const passes = [
  ...[0, 1, 2, 4, 8, 16, 32].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3].map((hours) => hours * hourMs),
  ...[9, 18].flatMap((days) => [0, 1, 2, 4].map((hours) => days * dayMs + hours * hourMs)),
];

const stage = await useForFile(startRenewalStage());
const { server, clock, gateway } = stage;

/** Every seventh step of a server ends like a kill: what was committed stays, and nothing else is written. */
function killedNowAndThen(): { readonly crashPoints: (point: CrashPoint) => void; live: boolean } {
  let steps = 0;
  const killing = {
    live: true,
    crashPoints(point: CrashPoint) {
      // The others are in a process of their own (crash-points.test.ts).
      if (point === 'afterCharge' || !killing.live) return;
      steps += 1;
      if (steps % 7 === 0) throw new Error(`killed at ${point}`);
    },
  };
  return killing;
}

/** The place of a key among all keys, from 0 to 1, always the same. */
function placeOf(key: string): number {
  let hash = 0;
  for (const character of key) hash = (hash * 31 + character.charCodeAt(0)) % 1_009;
  return hash / 1_009;
}

test.each([0, 0.02, 0.2, 1])(
  'if a share of %d of the charges is not answered, every period is paid once and every key is charged once',
  async (share) => {
    await clock.set(stageStart);
    const app = await createTestApp(server, `com.unanswered.app${share * 100}`);
    const ids = Array.from({ length: subscriptions }, (_, index) => `U-${share * 100}-${index}`);
    for (const id of ids) await subscribe({ server, app }, id);
    gateway.decide(({ idempotencyKey, firstPurchaseId, attempt, startTime }, nth) => {
      const isDeclined = ids.indexOf(firstPurchaseId) % 4 === 0 && attempt <= retries.length;
      const isDead = share === 1 && clock.now() < startTime + 2 * hourMs;
      const isUnanswered = isDead || (share < 1 && nth === 1 && placeOf(idempotencyKey) < share);
      // Either the request or the answer is lost.
      const trouble = attempt % 2 === 0 || placeOf(idempotencyKey) < share / 2 ? 'lostRequest' : 'reset';
      return {
        outcome: isDeclined ? 'declined' : 'paid',
        trouble: isUnanswered ? trouble : 'none',
      };
    });
    const killing = [killedNowAndThen(), killedNowAndThen()];
    await using owner = new AsyncDisposableStack();
    const jobs = killing.map((testing) => owner.use(openJob(server, stage, { testing, retries })).job);
    for (const due of [firstDue, secondDue]) {
      for (const passed of passes) {
        await clock.set(due + passed);
        // A charge whose server was killed is due again when its lease ends.
        for (let lease = 0; lease < 3; lease += 1) {
          await Promise.all(jobs.map((job) => job.runOnce()));
          await clock.advance(20_000);
        }
      }
    }
    for (const one of killing) one.live = false;
    await clock.set(secondDue + 18 * dayMs + 6 * hourMs);
    await Promise.all(jobs.map((job) => job.runOnce()));
    const audit = await auditSubscriptions(server.connection, gateway.taken, clock.now());
    expect(audit).toMatchObject({ problems: [], open: 0 });
    const periods = [...gateway.taken.keys()].filter((key) => key.includes(`/${app.packageName}/`));
    expect(periods).toHaveLength(2 * subscriptions);
  },
);
