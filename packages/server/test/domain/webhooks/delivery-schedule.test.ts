// The times at which a failed delivery is retried.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attemptsMax, decideRetry, retryForMs } from '../../../src/domain/webhooks/delivery-schedule.ts';
import { instants } from '../arbitraries.ts';

const draws = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const hourMs = 3_600_000;

/** The instants of all attempts of a delivery that always fails, each made when it is due. */
function attemptsOf(start: number, drawn: readonly number[]): number[] {
  const times = [start];
  for (let now: number | undefined = start; now !== undefined; ) {
    const attempts = times.length;
    now = decideRetry({ attempts, scheduleStart: start, now, drawn: drawn[attempts % drawn.length] ?? 0 });
    if (now !== undefined) times.push(now);
  }
  return times;
}

describe('delivery schedules', () => {
  test('a schedule without jitter has 13 attempts, seconds apart at first and a day at last, over three days', () => {
    const times = attemptsOf(0, [0]);
    const delays = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(delays.map((delay) => delay / 1_000)).toEqual([
      5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 50_400, 64_800, 86_400,
    ]);
    expect(times).toHaveLength(attemptsMax);
    expect(times.at(-1)).toBeGreaterThan(71 * hourMs);
  });

  test('delays grow, differ by their jitter, and end within three days', () => {
    fc.assert(
      fc.property(instants, fc.array(draws, { minLength: 13, maxLength: 13 }), (start, drawn) => {
        const times = attemptsOf(start, drawn);
        const delays = times.slice(1).map((time, index) => time - (times[index] ?? 0));
        expect(times).toHaveLength(attemptsMax);
        expect(delays).toEqual(delays.toSorted((left, right) => left - right));
        expect((times.at(-1) ?? 0) - start).toBeLessThanOrEqual(retryForMs);
        expect((times.at(-1) ?? 0) - start).toBeGreaterThan(retryForMs * 0.79);
      }),
    );
  });

  test('jitter shortens a delay by at most 20%, evenly over the drawn values', () => {
    const first = (drawn: number) => decideRetry({ attempts: 1, scheduleStart: 0, now: 0, drawn });
    expect([first(0), first(2 ** 31), first(2 ** 32 - 1)]).toEqual([5_000, 4_500, 4_000]);
  });

  test('the next delay starts at a late attempt, so that missed attempts are not made up for', () => {
    const late = 10 * hourMs;
    expect(decideRetry({ attempts: 2, scheduleStart: 0, now: late, drawn: 0 })).toBe(late + 30_000);
  });

  test('a schedule ends after three days, however few attempts were made', () => {
    const last = { attempts: 2, scheduleStart: 0, drawn: 0 };
    expect(decideRetry({ ...last, now: retryForMs - 1 })).toBeDefined();
    expect(decideRetry({ ...last, now: retryForMs })).toBeUndefined();
  });
});
