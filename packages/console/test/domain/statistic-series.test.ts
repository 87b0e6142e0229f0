// Ranges of days, and statistics as series of days without gaps and as sums.

import { expect, test } from 'vitest';
import {
  currenciesOf,
  type Statistics,
  salesByCurrency,
  seriesOf,
} from '../../src/pages/reports/statistic-series.ts';
import { dayAfter, dayIn, daysOf, rangeOf } from '../../src/values/days.ts';

test('a range is a month, days up to today, or the days that are given', () => {
  const today = '2026-12-03';
  expect(rangeOf({}, today)).toEqual({ from: '2026-11-04', to: today });
  expect(rangeOf({ range: '7' }, today)).toEqual({ from: '2026-11-27', to: today });
  expect(rangeOf({ range: 'month' }, today)).toEqual({ from: '2026-12-01', to: today });
  expect(rangeOf({ range: 'lastMonth' }, today)).toEqual({ from: '2026-11-01', to: '2026-11-30' });
  const given = { from: '2026-10-05', to: '2026-10-09' };
  expect(rangeOf({ ...given, range: 'month' }, today)).toEqual(given);
  expect(dayIn('Asia/Tokyo', Date.UTC(2026, 2, 15, 16))).toBe('2026-03-16');
  expect(dayAfter('2026-03-01', -1)).toBe('2026-02-28');
});

test('a range has each of its days once', () => {
  const days = ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'];
  expect(daysOf({ from: '2026-02-27', to: '2026-03-02' })).toEqual(days);
});

test('a day without a row counts nothing and keeps the active subscriptions, and currencies stay apart', () => {
  const row = (period: string, currency: string, sold: number, active: number) => ({
    ...{ period, currency, sold, active, soldAmount: sold * 100, trials: 1, voided: 1, voidedAmount: 100 },
  });
  const statistics = {
    timeZone: 'UTC',
    before: [{ currency: 'EUR', active: 4 }],
    rows: [row('2026-03-02', 'EUR', 1, 5), row('2026-03-02', 'USD', 9, 1), row('2026-03-04', 'EUR', 2, 3)],
  } as unknown as Statistics;
  expect(currenciesOf(statistics)).toEqual(['USD', 'EUR']);
  const range = { from: '2026-03-01', to: '2026-03-05' };
  const series = seriesOf(statistics, 'EUR', range).map(({ sold, active }) => [sold, active]);
  expect(series).toEqual([
    [0, 4],
    [1, 5],
    [0, 5],
    [2, 3],
    [0, 3],
  ]);
  expect(salesByCurrency(statistics.rows, ['EUR', 'USD'])).toEqual([
    { currency: 'EUR', sold: 3, soldAmount: 300, trials: 2, voided: 2, voidedAmount: 200 },
    { currency: 'USD', sold: 9, soldAmount: 900, trials: 1, voided: 1, voidedAmount: 100 },
  ]);
});
