// The filters of reports, which are in the address.

import type { FilterFields } from '../../parts/filter-fields.ts';
import { rangeDefaultName, rangeNames } from './days.ts';

/** The inputs above the report. */
export const reportFilters = {
  range: { label: 'Range', options: rangeNames, any: rangeDefaultName },
  from: { label: 'From', isDay: true },
  to: { label: 'To', isDay: true },
  by: { label: 'Columns by', options: { week: 'week', month: 'month' }, any: 'day' },
  packageName: { label: 'App', isApp: true },
  productId: { label: 'Product' },
} as const satisfies FilterFields;

/** The charts show one currency. */
export const reportFields = {
  ...reportFilters,
  currency: { label: 'Currency' },
} as const satisfies FilterFields;
