// The search parameters of the find page; `orderId` is for links of help desks.

import type { FilterFields } from '../../parts/filter-fields.ts';

export const findFields = {
  q: { label: 'Text' },
  orderId: { label: 'Order id' },
} as const satisfies FilterFields;
