// The search parameters of the buyer page: an id may contain any text.

import type { FilterFields } from '../../parts/filter-fields.ts';

export const buyerFields = { id: { label: 'Buyer' } } as const satisfies FilterFields;
