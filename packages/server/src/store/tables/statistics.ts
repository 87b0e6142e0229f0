// The table of statistics, without package names. It is never exported, because its rows are derived from others.

import * as fields from '@opentill/contract/fields.ts';
import { Day, statisticCounts } from '@opentill/contract/statistics.ts';
import { type Column, columnOf, order as count, filled, type Table } from '../statements/table.ts';

/** By field, such as soldAmount. */
export const countColumns: Readonly<Record<string, Column>> = Object.fromEntries(
  Object.keys(statisticCounts).map((field) => [field, filled(columnOf(field), 'bigint', count)]),
);

export const statisticDay = {
  table: 'statistic_day',
  key: ['day', 'productId', 'currency'],
  columns: {
    day: filled('day', 'date', Day),
    productId: filled('product_id', 'text', fields.ProductId),
    currency: filled('currency', 'text', fields.Currency),
    ...countColumns,
  },
} as const satisfies Table;
