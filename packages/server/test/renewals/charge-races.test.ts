// Changes of a subscription during a charge: each call arrives before the gateway has responded.

import { beforeEach, describe, expect, test } from 'vitest';
import { openSecondConnection, waitedFor } from '../attack/second-connection.ts';
import { operate, useForFile } from '../harness.ts';
import { changeAutoPayment, tryVoid } from '../purchase-changes.ts';
import { expectSound } from './expect-sound.ts';
import {
  eventsOf,
  firstDue,
  lastDetails,
  nextSubscription,
  openJob,
  passTo,
  secondDue,
  shownSubscription,
  stageStart,
  startRenewalStage,
  subscribe,
  tokenOf,
} from './renewal-stage.ts';
import type { Order, Outcome } from './test-gateway.ts';

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
const voidMonth = async (purchaseId = id): Promise<number> => {
  return (await tryVoid(stage.server, stage.app, purchaseId)).status;
};
const cancelByOperator = async (): Promise<number> => {
  const path = `/apps/${stage.app.packageName}/subscriptions/${id}/cancel`;
  return (await operate(stage.server, 'POST', path, { body: { reason: 'customer' } })).status;
};

/** The changes during a charge, with the expected responses. */
const meanwhile = {
  'a cancel': async () => expect(await manage('cancel')).toBe(0),
  'a cancel by the store': async () => expect(await cancelByOperator()).toBe(200),
  'a cancel and a reactivation': async () => {
    expect([await manage('cancel'), await manage('reactivate')]).toEqual([0, 1]);
  },
  'a void': async () => expect(await voidMonth()).toBe(200),
  'a cancel and a void': async () => {
    expect([await manage('cancel'), await voidMonth()]).toEqual([0, 200]);
  },
} as const;

const cancelled = ['auto_payment_cancelled'];
const ended = ['purchase.voided', 'terminated'];
const paidAfterEnd = ['purchase.completed', 'purchase.voided'];

type Cell = readonly [state: string, months: number, events: readonly string[]];
type Row = readonly [what: keyof typeof meanwhile, paid: Cell, declined: Cell, cancelReason: string];

const rows: readonly Row[] = [
  [
    'a cancel',
    ['auto_payment_off', 2, [...cancelled, 'renewed']],
    ['expired', 1, [...cancelled, 'expired']],
    '1',
  ],
  [
    'a cancel by the store',
    ['auto_payment_off', 2, [...cancelled, 'renewed']],
    ['expired', 1, [...cancelled, 'expired']],
    '0',
  ],
  [
    'a cancel and a reactivation',
    ['auto_payment_off', 2, [...cancelled, 'renewed']],
    ['expired', 1, [...cancelled, 'expired']],
    '1',
  ],
  ['a void', ['terminated', 2, [...ended, ...paidAfterEnd]], ['terminated', 1, ended], '1'],
  [
    'a cancel and a void',
    ['terminated', 2, [...cancelled, ...ended, ...paidAfterEnd]],
    ['terminated', 1, [...cancelled, ...ended]],
    '1',
  ],
];

const cases = rows.flatMap(([what, paid, declined, cancelReason]) =>
  (
    [
      ['paid', paid],
      ['declined', declined],
    ] as const
  ).map(([outcome, cell]) => [what, outcome, cell, cancelReason] as const),
);

describe('changes during a charge', () => {
  test.each(cases)(
    '%s during a charge that ends as %s has the effects of the table',
    async (what, outcome, [state, months, events], cancelReason) => {
      const done = Promise.withResolvers<void>();
      stage.gateway.decide(() => {
        meanwhile[what]().then(() => done.resolve(), done.reject);
        return { outcome, trouble: { until: done.promise } };
      });
      await passTo(stage, firstDue);
      await done.promise;
      expect(await eventsOf(stage, id)).toEqual(['started', ...events]);
      const shown = await shownSubscription(stage, id);
      expect([shown.state, shown.months.length]).toEqual([state, months]);
      const last = await lastDetails(stage, id);
      expect(last).toMatchObject({ autoRenewing: false, cancelReason, cancelledTime: firstDue });
      expect(last.expiryTime).toBe(state === 'auto_payment_off' ? secondDue : firstDue);
      // No further payment follows.
      stage.gateway.decide(() => ({ outcome: 'paid' }));
      await passTo(stage, secondDue + minuteMs);
      expect((await shownSubscription(stage, id)).months).toHaveLength(months);
      await expectSound(stage);
    },
  );
});

test('a cancel before a lost response is followed by the month when the retry is paid', async () => {
  let asked = 0;
  stage.gateway.decide(async () => {
    asked += 1;
    if (asked > 1) return { outcome: 'paid' };
    await manage('cancel');
    return { outcome: 'paid', trouble: { status: 502 } };
  });
  await passTo(stage, firstDue);
  expect(await shownSubscription(stage, id)).toMatchObject({
    state: 'expired',
    months: [{ periodIndex: 0 }],
  });
  expect(await eventsOf(stage, id)).toEqual(['started', ...cancelled]);
  await passTo(stage, firstDue + minuteMs);
  expect(await shownSubscription(stage, id)).toMatchObject({ state: 'auto_payment_off' });
  expect(await eventsOf(stage, id)).toEqual(['started', ...cancelled, 'renewed']);
  await expectSound(stage);
});

test('a subscription whose expiry was published stays expired for a server whose clock is behind', async () => {
  expect(await manage('cancel')).toBe(0);
  await passTo(stage, firstDue);
  expect(await eventsOf(stage, id)).toEqual(['started', ...cancelled, 'expired']);
  await stage.clock.set(firstDue - 20_000);
  expect(await manage('reactivate')).toBe(1);
  await passTo(stage, secondDue);
  expect(await eventsOf(stage, id)).toEqual(['started', ...cancelled, 'expired']);
  await expectSound(stage);
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
    expect((await shownSubscription(stage, id)).months).toHaveLength(2);
    expect(stage.told.logLines).toEqual([]);
    await expectSound(stage);
  },
);

test('a locked subscription delays no other payment and is written afterwards', async () => {
  const other = `${id}-b`;
  await subscribe(stage, other);
  const answer = Promise.withResolvers<void>();
  const asked: string[] = [];
  stage.gateway.decide(({ firstPurchaseId }) => {
    asked.push(firstPurchaseId);
    return { outcome: 'paid', trouble: { until: answer.promise } };
  });
  await stage.clock.set(firstDue);
  const look = stage.job.runOnce();
  await expect.poll(() => asked).toEqual(expect.arrayContaining([id, other]));
  await using second = await openSecondConnection(stage.server.connection);
  const locked = 'select from subscription where package_name = $1 and first_purchase_id = $2 for update';
  await second.run(locked, [stage.app.packageName, id]);
  answer.resolve();
  await waitedFor(second, look);
  await expect.poll(() => eventsOf(stage, other)).toEqual(['started', 'renewed']);
  expect(await eventsOf(stage, id)).toEqual(['started']);
  await second.commit();
  await look;
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
  await expectSound(stage);
});

test('a reactivation by a server whose clock is behind does not block the payments of other subscriptions', async () => {
  stage.gateway.decide(({ firstPurchaseId }: Order) => ({
    outcome: firstPurchaseId === id ? 'declined' : 'paid',
  }));
  await passTo(stage, firstDue);
  // By the clock of the other server, the month is not over.
  await stage.clock.set(firstDue - 1);
  expect([await manage('cancel'), await manage('reactivate')]).toEqual([0, 0]);
  await stage.clock.set(stageStart);
  await subscribe(stage, `${id}-b`);
  stage.gateway.decide(() => ({ outcome: 'paid' }));
  await passTo(stage, firstDue + 1);
  expect(await lastDetails(stage, id)).toMatchObject({ startTime: firstDue, expiryTime: secondDue });
  expect(await lastDetails(stage, `${id}-b`)).toMatchObject({ startTime: firstDue, expiryTime: secondDue });
  expect(stage.told.logLines).toEqual([]);
  await expectSound(stage);
});

test('no cancel, reactivation or void is lost while all subscriptions are charged', async () => {
  const ids = Array.from({ length: 48 }, (_, index) => `${id}-${index}`);
  for (const one of ids) await subscribe(stage, one);
  const outcomes: readonly Outcome[] = ['paid', 'declined', 'pending', 'declined_final', 'paid', 'paid'];
  const calls: Promise<unknown>[] = [];
  const call = async ({ firstPurchaseId: of, periodIndex }: Order, index: number): Promise<void> => {
    if (index % 4 === 0) await Promise.all([manage('cancel', of), manage('reactivate', of)]);
    if (index % 4 === 1) await Promise.all([voidMonth(of), manage('cancel', of)]);
    if (index % 4 === 2) await manage('cancel', of);
    // During the charge of the second month, which is still paid, and is the last one.
    if (index % 8 === 3 && periodIndex === 2) await manage('cancel', of);
  };
  stage.gateway.decide((order, nth) => {
    const index = ids.indexOf(order.firstPurchaseId);
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
  const shown = await Promise.all(ids.map((one) => shownSubscription(stage, one)));
  const states = shown.map(({ state }) => state);
  expect(states).toEqual(expect.arrayContaining(['active', 'auto_payment_off', 'expired', 'terminated']));
});
