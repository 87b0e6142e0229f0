// Statistics as series of periods without gaps.

import { expect, test } from 'vitest';
import {
  currenciesOf,
  dayBefore,
  dayIn,
  periodsOf,
  type Statistics,
  seriesOf,
} from '../../src/pages/reports/statistic-series.ts';

test('a range has each of its days, weeks from Monday and months once', () => {
  expect(periodsOf({ from: '2026-02-27', to: '2026-03-02', by: 'day' })).toEqual([
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
    '2026-03-02',
  ]);
  expect(periodsOf({ from: '2026-03-01', to: '2026-03-10', by: 'week' })).toEqual([
    '2026-02-23',
    '2026-03-02',
    '2026-03-09',
  ]);
  expect(periodsOf({ from: '2025-12-31', to: '2026-02-01', by: 'month' })).toEqual([
    '2025-12-01',
    '2026-01-01',
    '2026-02-01',
  ]);
  expect(dayIn('Asia/Tokyo', Date.UTC(2026, 2, 15, 16))).toBe('2026-03-16');
  expect(dayBefore('2026-03-01', 1)).toBe('2026-02-28');
});

test('a period without a row counts nothing and keeps the active subscriptions, and currencies stay apart', () => {
  const row = (period: string, currency: string, sold: number, active: number) => ({
    period,
    currency,
    sold,
    active,
  });
  const statistics = {
    timeZone: 'UTC',
    before: [{ currency: 'EUR', active: 4 }],
    rows: [row('2026-03-02', 'EUR', 1, 5), row('2026-03-02', 'USD', 9, 1), row('2026-03-04', 'EUR', 2, 3)],
  } as unknown as Statistics;
  expect(currenciesOf(statistics)).toEqual(['USD', 'EUR']);
  const range = { from: '2026-03-01', to: '2026-03-05', by: 'day' } as const;
  const series = seriesOf(statistics, 'EUR', range).map(({ sold, active }) => [sold, active]);
  expect(series).toEqual([
    [0, 4],
    [1, 5],
    [0, 5],
    [2, 3],
    [0, 3],
  ]);
});
