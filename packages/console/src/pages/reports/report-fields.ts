// The filters of reports, which are in the address.

import type { FilterFields } from '../../parts/filter-fields.ts';

const reportRanges = {
  '7': 'the last 7 days',
  '30': 'the last 30 days',
  '90': 'the last 90 days',
  '365': 'the last 365 days',
} as const;

export const reportRangeDefault = '30';

export const reportFields = {
  days: { label: 'Range', options: reportRanges, any: reportRanges[reportRangeDefault] },
  to: { label: 'Last day', isDay: true },
  by: { label: 'By', options: { week: 'week', month: 'month' }, any: 'day' },
  packageName: { label: 'App', isApp: true },
  productId: { label: 'Product' },
  currency: { label: 'Currency' },
} as const satisfies FilterFields;
