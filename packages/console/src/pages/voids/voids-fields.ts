// The filters of the voided purchases, which are those of listVoids.

import type { FilterFields } from '../../parts/filter-fields.ts';

export const voidsFields = {
  packageName: { label: 'App', isApp: true },
  from: { label: 'From', isTime: true },
  to: { label: 'To', isTime: true },
} as const satisfies FilterFields;
