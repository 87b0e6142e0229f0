// Changes of a subscription during a charge: each call arrives before the gateway has responded.

import { beforeEach, describe, expect, test } from 'vitest';
import { changeAutoPayment, tryVoid } from '../../../../test/support/calls/purchase-changes.ts';
import { useForFile } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import {
  eventsOf,
  firstDue,
  lastDetails,
  nextSubscription,
  openJob,
  passTo,
  secondDue,
  shownSubscription,
  startRenewalStage,
  subscribe,
  tokenOf,
} from '../../../../test/support/renewals/renewal-stage.ts';
import type { Order, Outcome } from '../../../../test/support/renewals/test-gateway.ts';
import { expectSound } from './expect-sound.ts';

const minuteMs = 60_000;
const leaseMs = 20_000;

/** The calls during a charge may be slow on a busy machine. */
const answerWithinMs = 10_000;

let id: string;

const stage = await useForFile(startRenewalStage({ timeoutMs: answerWithinMs }));
beforeEach(async () => {
  id = await nextSubscription(stage);
});

const manage = async (action: 'cancel' | 'reactivate', of = id): Promise<number> => {
  const app = { ...stage.app, token: await tokenOf(stage.server, stage.app) };
  return (await changeAutoPayment(stage.server, app, { purchaseId: of, action })).body.responseCode;
};
const voidPeriod = async (purchaseId = id): Promise<number> => {
  return (await tryVoid(stage.server, stage.app, purchaseId)).status;
};

/** The changes during a charge, with the expected responses. */
const concurrent = {
  'a cancel': async () => expect(await manage('cancel')).toBe(0),
  'a cancel and a reactivation': async () => {
    expect([await manage('cancel'), await manage('reactivate')]).toEqual([0, 1]);
  },
  'a void': async () => expect(await voidPeriod()).toBe(200),
} as const;

const cancelled = ['auto_payment_cancelled'];
const ended = ['purchase.voided', 'terminated'];
const paidAfterEnd = ['purchase.completed', 'purchase.voided'];

type Cell = readonly [state: string, periods: number, events: readonly string[]];
type Row = readonly [what: keyof typeof concurrent, outcome: Outcome, cell: Cell];

const rows: readonly Row[] = [
  ['a cancel', 'paid', ['autoPaymentOff', 2, [...cancelled, 'renewed']]],
  ['a cancel', 'declined', ['expired', 1, [...cancelled, 'expired']]],
  ['a cancel and a reactivation', 'paid', ['autoPaymentOff', 2, [...cancelled, 'renewed']]],
  ['a cancel and a reactivation', 'declined', ['expired', 1, [...cancelled, 'expired']]],
  ['a void', 'paid', ['terminated', 2, [...ended, ...paidAfterEnd]]],
  ['a void', 'declined', ['terminated', 1, ended]],
];

describe('changes during a charge', () => {
  test.each(rows)(
    '%s during a charge that ends as %s has the effects of the table',
    async (what, outcome, [state, periods, events]) => {
      const done = Promise.withResolvers<void>();
      stage.gateway.decide(() => {
        concurrent[what]().then(() => done.resolve(), done.reject);
        return { outcome, trouble: { until: done.promise } };
      });
      await passTo(stage, firstDue);
      await done.promise;
      expect(await eventsOf(stage, id)).toEqual(['started', ...events]);
      const shown = await shownSubscription(stage, id);
      expect([shown.state, shown.periods.length]).toEqual([state, periods]);
      const last = await lastDetails(stage, id);
      expect(last).toMatchObject({ autoRenewing: false, cancelReason: '1', cancelledTime: firstDue });
      expect(last.expiryTime).toBe(state === 'autoPaymentOff' ? secondDue : firstDue);
      // No further payment follows.
      stage.gateway.decide(() => ({ outcome: 'paid' }));
      await passTo(stage, secondDue + minuteMs);
      expect((await shownSubscription(stage, id)).periods).toHaveLength(periods);
      await expectSound(stage);
    },
  );
});

test.each(['paid', 'declined', 'pending'] as const)(
  'a lease that expires during a charge lets another server charge too, and %s is written once',
  async (outcome) => {
    await using other = openJob(stage.server, stage, { timeoutMs: answerWithinMs });
    const requests = () => stage.gateway.orders.filter(({ firstPurchaseId }) => firstPurchaseId === id);
    const both = Promise.withResolvers<void>();
    stage.gateway.decide(() => ({ outcome, trouble: { until: both.promise } }));
    await stage.clock.set(firstDue);
    const first = stage.job.runOnce();
    await expect.poll(() => requests().length).toBe(1);
    // A server that pauses for longer than its lease, like a suspended machine.
    await stage.clock.set(firstDue + leaseMs - 1);
    await other.job.runOnce();
    expect(requests()).toHaveLength(1);
    await stage.clock.set(firstDue + leaseMs);
    const second = other.job.runOnce();
    await expect.poll(() => requests().length).toBe(2);
    both.resolve();
    await Promise.all([first, second]);
    const told = { paid: ['renewed'], declined: ['payment_failed'], pending: [] }[outcome];
    expect(await eventsOf(stage, id)).toEqual(['started', ...told]);
    expect(new Set(requests().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    stage.gateway.decide(() => ({ outcome: 'paid' }));
    await passTo(stage, firstDue + 61 * minuteMs);
    expect((await shownSubscription(stage, id)).periods).toHaveLength(2);
    expect(stage.told.logLines).toEqual([]);
    await expectSound(stage);
  },
);

test('an unclear response leaves the attempt to the server that has taken it over', async () => {
  await using other = openJob(stage.server, stage, { timeoutMs: answerWithinMs });
  const [pending, paid] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let asked = 0;
  stage.gateway.decide(() => {
    asked += 1;
    if (asked === 1) return { outcome: 'pending', trouble: { until: pending.promise } };
    return { outcome: 'paid', trouble: { until: paid.promise } };
  });
  await stage.clock.set(firstDue);
  const first = stage.job.runOnce();
  await expect.poll(() => asked).toBe(1);
  await stage.clock.set(firstDue + leaseMs);
  const second = other.job.runOnce();
  await expect.poll(() => asked).toBe(2);
  const sql = `select * from renewal_attempt where first_purchase_id = '${id}'`;
  const takenOver = await query(stage.server.connection, sql);
  pending.resolve();
  await first;
  expect(await query(stage.server.connection, sql)).toEqual(takenOver);
  paid.resolve();
  await second;
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
  await expectSound(stage);
});

test('no cancel, reactivation or void is lost while all subscriptions are charged', async () => {
  const ids = Array.from({ length: 48 }, (_, index) => `${id}-${index}`);
  for (const one of ids) await subscribe(stage, one);
  const outcomes: readonly Outcome[] = ['paid', 'declined', 'pending', 'declinedFinal', 'paid', 'paid'];
  const calls: Promise<unknown>[] = [];
  const requests: string[] = [];
  const call = async ({ firstPurchaseId: of, periodIndex }: Order, index: number): Promise<void> => {
    if (index % 4 === 0) await Promise.all([manage('cancel', of), manage('reactivate', of)]);
    if (index % 4 === 1) await Promise.all([voidPeriod(of), manage('cancel', of)]);
    if (index % 4 === 2) await manage('cancel', of);
    // During the charge of the second period, which is still paid, and is the last one.
    if (index % 8 === 3 && periodIndex === 2) await manage('cancel', of);
  };
  stage.gateway.decide((order, nth) => {
    const index = ids.indexOf(order.firstPurchaseId);
    requests.push(`${order.idempotencyKey} at ${stage.clock.now()}`);
    // Every second call is sent concurrently with the response.
    const called = index < 0 ? Promise.resolve() : call(order, index);
    calls.push(called);
    const outcome = nth === 1 ? (outcomes[index % outcomes.length] ?? 'paid') : 'paid';
    return { outcome, trouble: index % 3 === 0 ? { until: called } : 'none' };
  });
  await using other = openJob(stage.server, stage, { timeoutMs: answerWithinMs });
  for (const now of [firstDue, firstDue + minuteMs, firstDue + 70 * minuteMs, secondDue]) {
    await stage.clock.set(now);
    await Promise.all([stage.job.runOnce(), other.job.runOnce()]);
    await Promise.all(calls);
  }
  stage.gateway.decide(() => ({ outcome: 'paid' }));
  await stage.clock.set(secondDue + 60 * minuteMs);
  await Promise.all([stage.job.runOnce(), other.job.runOnce()]);
  await expectSound(stage);
  // Two servers that renew at once send no charge twice.
  expect(requests).toEqual([...new Set(requests)]);
  const shown = await Promise.all(ids.map((one) => shownSubscription(stage, one)));
  const states = shown.map(({ state }) => state);
  expect(states).toEqual(expect.arrayContaining(['active', 'autoPaymentOff', 'expired', 'terminated']));
});
