// A charge that two servers have in flight, because the lease of the first expired before its response arrived.

import { beforeEach, expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import { useForFile } from '../harness.ts';
import { expectSound } from './expect-sound.ts';
import { eventsOf, firstDue, nextSubscription, openJob, startRenewalStage } from './renewal-stage.ts';
import type { Outcome } from './test-gateway.ts';

const leaseMs = 20_000;

/** Responses may be slow on a busy machine. */
const answerWithinMs = 10_000;

let id: string;

const stage = await useForFile(startRenewalStage({ timeoutMs: answerWithinMs }));
beforeEach(async () => {
  id = await nextSubscription(stage);
});

/** Each server gets its response when the test gives it, which ends its poll. */
async function chargeTwice(outcomes: readonly [first: Outcome, second: Outcome]) {
  const other = openJob(stage.server, stage, { timeoutMs: answerWithinMs });
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  let asked = 0;
  stage.gateway.decide(() => {
    const nth = asked === 0 ? 0 : 1;
    asked += 1;
    return { outcome: outcomes[nth], trouble: { until: answers[nth].promise } };
  });
  await stage.clock.set(firstDue);
  const first = stage.job.runOnce();
  await expect.poll(() => asked).toBe(1);
  await stage.clock.set(firstDue + leaseMs);
  const second = other.job.runOnce();
  await expect.poll(() => asked).toBe(2);
  const answered = async (nth: 0 | 1, look: Promise<unknown>): Promise<void> => {
    answers[nth].resolve();
    await look;
  };
  return {
    first: () => answered(0, first),
    second: () => answered(1, second),
    [Symbol.asyncDispose]: () => other[Symbol.asyncDispose](),
  };
}

test('an unclear response leaves the attempt to the server that has taken it over', async () => {
  await using charges = await chargeTwice(['pending', 'paid']);
  const attempt = async () => {
    const sql = `select * from renewal_attempt where first_purchase_id = '${id}'`;
    return (await query(stage.server.connection, sql))[0];
  };
  const takenOver = await attempt();
  expect(Number(takenOver?.['lease_until'])).toBe(firstDue + 2 * leaseMs);
  await charges.first();
  expect(await attempt()).toEqual(takenOver);
  await charges.second();
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
  await expectSound(stage);
});

test('an unclear response after another server was paid is not a contradiction', async () => {
  await using charges = await chargeTwice(['pending', 'paid']);
  await charges.second();
  await charges.first();
  expect(stage.told.logLines).toEqual([]);
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
  await expectSound(stage);
});
