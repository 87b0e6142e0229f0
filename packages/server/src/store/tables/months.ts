// The table of closed months, without package names.

import * as fields from '@opentill/contract/fields.ts';
import { MonthName, statementCounts } from '@opentill/contract/statements.ts';
import Type, { type TSchema } from 'typebox';
import {
  type Column,
  columnOf,
  order as count,
  filled,
  name,
  optional,
  type Table,
} from '../statements/table.ts';

/** '' in the row of the month. */
const orNone = <Schema extends TSchema>(schema: Schema) => Type.Union([Type.Literal(''), schema]);

/** By field, such as salesAmount. */
export const monthCounts: Readonly<Record<string, Column>> = Object.fromEntries(
  Object.keys(statementCounts).map((field) => [field, filled(columnOf(field), 'bigint', count)]),
);

export const closedMonth = {
  table: 'closed_month',
  key: ['month', 'productId', 'currency'],
  columns: {
    month: filled('month', 'text', MonthName),
    productId: filled('product_id', 'text', orNone(fields.ProductId)),
    currency: filled('currency', 'text', orNone(fields.Currency)),
    firstOrder: optional('first_order', 'bigint', count),
    lastOrder: optional('last_order', 'bigint', count),
    closedAt: optional('closed_at', 'bigint', fields.Timestamp),
    timeZone: optional('time_zone', 'text', name),
    isIncomplete: optional('is_incomplete', 'boolean', Type.Boolean()),
    ...monthCounts,
  },
} as const satisfies Table;
