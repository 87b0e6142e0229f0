// The slots of an app follow the share of its charges that are answered.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AnsweredCharge } from '../../src/charging/charges.ts';
import type { ChargeOutcome } from '../../src/domain/subscriptions/renewal.ts';
import { AppCharges, slotsAtFirst, slotsMax } from '../../src/jobs/subscriptions/app-charges.ts';

const withOutcome = (outcome: ChargeOutcome): AnsweredCharge =>
  ({
    firstPurchaseId: 'S-1',
    dueTime: 1,
    charged: { answer: outcome === 'unknown' ? { outcome, reason: 'none' } : { outcome } },
  }) as unknown as AnsweredCharge;

/** Ends one charge after another of an app that has much due, and returns its slots then. */
function slotsAfter(outcomes: readonly ChargeOutcome[]): number {
  const app = new AppCharges('com.example.app', { environment: 'production' });
  let inFlight = 0;
  const begin = () => {
    const free = app.freeSlots;
    app.begin(free, free);
    inFlight += free;
    expect(inFlight).toBeLessThanOrEqual(slotsMax);
  };
  for (const outcome of outcomes) {
    begin();
    app.end(withOutcome(outcome));
    inFlight -= 1;
  }
  for (; inFlight > 0; inFlight -= 1) app.end(undefined);
  return app.freeSlots;
}

const times = (count: number, outcome: ChargeOutcome): ChargeOutcome[] => Array(count).fill(outcome);

test.each([
  ['whose gateway is not known has its first slots', [], slotsAtFirst],
  ['that is answered gets all slots, whatever the answers are', times(slotsMax, 'declined'), slotsMax],
  ['that is not answered keeps one', [...times(slotsMax, 'paid'), ...times(slotsMax, 'unknown')], 1],
  [
    'that is answered again gets all back',
    [...times(99, 'unknown'), ...times(slotsMax, 'pending')],
    slotsMax,
  ],
] as const)('an app %s', (_, outcomes, slots) => {
  expect(slotsAfter(outcomes)).toBe(slots);
});

test('an app has as many slots fewer as answers that could not be written, and pending ones are not kept', () => {
  const app = new AppCharges('com.example.app', { environment: 'production' });
  for (let count = 0; count < slotsMax; count += 1) {
    app.begin(1, 1);
    app.end(withOutcome('paid'));
    app.keepUnwritten([...app.takeAnswered(), withOutcome('pending')]);
    expect(app.freeSlots).toBe(Math.min(slotsAtFirst + count + 1, slotsMax - count - 1));
  }
  expect([app.isWritable, app.isDone]).toEqual([false, false]);
  app.retryUnwritten();
  expect([app.isWritable, app.freeSlots]).toEqual([true, slotsMax]);
});

test('an app of whose charges four in ten are not answered has nearly all slots, in any order of them', () => {
  const ten = fc.shuffledSubarray([...times(6, 'paid'), ...times(4, 'unknown')], { minLength: 10 });
  const tens = fc.array(ten, { minLength: slotsMax, maxLength: slotsMax });
  fc.assert(
    fc.property(tens, (outcomes) => {
      expect(slotsAfter(outcomes.flat())).toBeGreaterThanOrEqual(slotsMax - 8);
    }),
  );
});
