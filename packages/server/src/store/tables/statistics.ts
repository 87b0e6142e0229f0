// The table of statistics, without package names. It is never exported, because its rows are derived from others.

import * as fields from '@opentill/contract/fields.ts';
import { Day } from '@opentill/contract/statistics.ts';
import { order as count } from './field-shapes.ts';
import { filled } from './table.ts';

const sum = (column: string) => filled(column, 'bigint', count);

export const statisticDay = {
  table: 'statistic_day',
  key: ['day', 'productId', 'currency'],
  columns: {
    day: filled('day', 'date', Day),
    productId: filled('product_id', 'text', fields.ProductId),
    currency: filled('currency', 'text', fields.Currency),
    sold: sum('sold'),
    soldAmount: sum('sold_amount'),
    started: sum('started'),
    startedAmount: sum('started_amount'),
    renewedFirst: sum('renewed_first'),
    renewedFirstAmount: sum('renewed_first_amount'),
    renewedLater: sum('renewed_later'),
    renewedLaterAmount: sum('renewed_later_amount'),
    voided: sum('voided'),
    voidedAmount: sum('voided_amount'),
    declined: sum('declined'),
    lost: sum('lost'),
    cancelled: sum('cancelled'),
    expired: sum('expired'),
    ended: sum('ended'),
  },
} as const;
