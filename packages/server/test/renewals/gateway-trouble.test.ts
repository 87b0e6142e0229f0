// A faulty gateway responds late, twice, invalidly, elsewhere or never; each month is still charged once and started once.

import { cancelSubscription } from '@opentill/contract/operator-api/cancelSubscription.ts';
import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { settleAttempt } from '@opentill/contract/operator-api/settleAttempt.ts';
import { beforeEach, expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import { useForFile } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { tryVoid } from '../purchase-changes.ts';
import {
  dayMs,
  eventsOf,
  firstDue,
  hourMs,
  lastDetails,
  nextSubscription,
  openJob,
  passTo,
  secondDue,
  shownSubscription,
  silenceMs,
  startRenewalStage,
} from './renewal-stage.ts';
import type { Decision, Order, Trouble } from './test-gateway.ts';

const minuteMs = 60_000;

let id: string;

const stage = await useForFile(startRenewalStage());
beforeEach(async () => {
  id = await nextSubscription(stage);
});

/** The job of a server that soon stops waiting for a response. */
const openImpatientJob = () => openJob(stage.server, stage, { timeoutMs: silenceMs });

function deciding(by: (order: Order, nth: number) => Decision): void {
  stage.gateway.decide((order, nth) => (order.firstPurchaseId === id ? by(order, nth) : { outcome: 'paid' }));
}

const requests = () => stage.gateway.orders.filter(({ firstPurchaseId }) => firstPurchaseId === id);
const keys = () => new Set(requests().map(({ idempotencyKey }) => idempotencyKey));
const timesTaken = () => [...keys()].map((key) => stage.gateway.taken.get(key) ?? 0);

async function expectRenewedOnce(): Promise<void> {
  expect(await lastDetails(stage, id)).toMatchObject({ startTime: firstDue, expiryTime: secondDue });
  expect((await shownSubscription(stage, id)).months).toHaveLength(2);
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
  expect(timesTaken()).toEqual([1]);
}

/** The log lines with the level error. */
const faultsTold = () =>
  stage.told.logLines.map((line) => JSON.parse(line) as { level: number }).filter(({ level }) => level >= 50);

const troubles: readonly (readonly [what: string, trouble: Trouble])[] = [
  ['is never heard of again', 'silence'],
  ['breaks the connection', 'reset'],
  ['loses the request', 'lostRequest'],
  ['answers with a fault', { status: 500, body: '{"outcome":"paid"}' }],
  ['answers with garbage', { status: 200, body: 'paid' }],
];

test.each(troubles)(
  'a gateway that %s gets a retry with the same key and charges once',
  async (_what, trouble) => {
    const isTroubled = () => stage.clock.now() < firstDue + minuteMs;
    deciding(() => ({ outcome: 'paid', trouble: isTroubled() ? trouble : 'none' }));
    await using impatient = openImpatientJob();
    await passTo(trouble === 'silence' ? { ...stage, ...impatient } : stage, firstDue);
    // After a reused connection breaks, the charge is sent again on a new one.
    const asked = requests().length;
    expect(stage.told.outcomes.at(-1)).toBe('unknown');
    expect(await lastDetails(stage, id)).toMatchObject({
      expiryTime: firstDue,
      nextPaymentTime: firstDue,
      autoRenewing: true,
      lastPurchaseId: id,
    });
    expect(await eventsOf(stage, id)).toEqual(['started']);
    await passTo(stage, firstDue + minuteMs - 1);
    expect(requests()).toHaveLength(asked);
    await passTo(stage, firstDue + minuteMs);
    expect(requests()).toHaveLength(asked + 1);
    expect(keys().size).toBe(1);
    await expectRenewedOnce();
  },
);

test('a response after the timeout is ignored, and the retry settles the attempt', async () => {
  const late = Promise.withResolvers<void>();
  deciding((_order, nth) => ({ outcome: 'paid', trouble: nth === 1 ? { until: late.promise } : 'none' }));
  await using impatient = openImpatientJob();
  await passTo({ ...stage, ...impatient }, firstDue);
  late.resolve();
  expect(await eventsOf(stage, id)).toEqual(['started']);
  await passTo(stage, firstDue + minuteMs);
  await expectRenewedOnce();
});

const cancel = () =>
  callOperator(stage.server, cancelSubscription, { path: { ...stage.app, firstPurchaseId: id }, body: {} });
const voidFirst = () => tryVoid(stage.server, stage.app, id);

test.each([
  ['a cancel', cancel, ['auto_payment_cancelled', 'expired']],
  ['a void', voidFirst, ['purchase.voided', 'terminated']],
])(
  'a charge without a response is retried for ten minutes after %s, then left to settleAttempt, and voided if it was paid',
  async (_what, end, events) => {
    deciding(() => ({ outcome: 'paid', trouble: 'lostRequest' }));
    await passTo(stage, firstDue);
    await end();
    const lastInstant = firstDue + 10 * minuteMs;
    for (let minute = 1; minute <= 10; minute += 1) await passTo(stage, firstDue + minute * minuteMs);
    const sent = requests().length;
    deciding(() => ({ outcome: 'paid' }));
    for (const late of [1, hourMs, 15 * dayMs]) await passTo(stage, lastInstant + late);
    expect(requests()).toHaveLength(sent);
    expect(await eventsOf(stage, id)).toEqual(['started', ...events]);
    const path = { ...stage.app, firstPurchaseId: id };
    const [attempt] = (await callOperator(stage.server, getSubscription, { path })).body.attempts;
    expect(attempt).toMatchObject({ state: 'unresolved', tries: 4 });
    const numbered = { ...path, periodIndex: '1', attempt: '1' };
    const body = { outcome: 'paid', note: 'seen at the provider' };
    await callOperator(stage.server, settleAttempt, { path: numbered, body });
    const afterEnd = ['purchase.completed', 'purchase.voided'];
    expect(await eventsOf(stage, id)).toEqual(['started', ...events, ...afterEnd]);
  },
);

test('a charge that the gateway answered with pending is polled after a cancel until the gateway decides', async () => {
  deciding(() => ({ outcome: 'pending' }));
  await passTo(stage, firstDue);
  await cancel();
  await passTo(stage, firstDue + dayMs);
  deciding(() => ({ outcome: 'paid' }));
  await passTo(stage, firstDue + dayMs + hourMs);
  expect(requests()).toHaveLength(3);
  expect(await eventsOf(stage, id)).toEqual(['started', 'auto_payment_cancelled', 'renewed']);
});

test('an attempt sent by two servers at once is settled once', async () => {
  await using one = openJob(stage.server, stage);
  await using other = openJob(stage.server, stage);
  const both = Promise.withResolvers<void>();
  deciding((_order, nth) => {
    if (nth === 2) both.resolve();
    return { outcome: 'paid', trouble: { until: both.promise } };
  });
  await stage.clock.set(firstDue);
  const first = one.job.runOnce();
  await expect.poll(() => requests().length).toBe(1);
  // The lease of the first server has expired, as if it were dead.
  await query(stage.server.connection, 'update renewal_attempt set lease_until = 0 where outcome is null');
  await Promise.all([first, other.job.runOnce()]);
  expect(requests()).toHaveLength(2);
  await expectRenewedOnce();
  expect(faultsTold()).toEqual([]);
});

test('contradictory responses of a gateway are a conflict, which is logged as an error and changes nothing else', async () => {
  await using one = openJob(stage.server, stage);
  await using other = openJob(stage.server, stage);
  const both = Promise.withResolvers<void>();
  deciding((_order, nth) => {
    if (nth === 1) return { outcome: 'paid', trouble: { until: both.promise } };
    return { outcome: 'paid', trouble: { status: 200, body: '{"outcome":"declined_final"}' } };
  });
  await stage.clock.set(firstDue);
  const first = one.job.runOnce();
  await expect.poll(() => requests().length).toBe(1);
  await query(stage.server.connection, 'update renewal_attempt set lease_until = 0 where outcome is null');
  await other.job.runOnce();
  both.resolve();
  await first;
  expect(await eventsOf(stage, id)).toEqual(['started', 'payment_failed', 'expired']);
  expect(faultsTold()).toEqual([
    expect.objectContaining({ msg: expect.stringContaining('settled as declined has been paid') }),
  ]);
});
