// The search parameters of the lists of apps and of the tabs of an app.

import { deliveryWords } from '../../parts/delivery-state.tsx';
import type { FilterFields } from '../../parts/filter-fields.ts';

export const appsFields = {
  containing: { label: 'Name contains' },
  state: { label: 'State', any: 'active', options: { disabled: 'disabled', all: 'all' } },
} as const satisfies FilterFields;

export const noFields = {} as const satisfies FilterFields;

export const deliveriesFields = {
  state: { label: 'State', options: deliveryWords },
} as const satisfies FilterFields;

export const changesFields = {
  by: { label: 'By' },
  operationId: { label: 'Operation' },
  subject: { label: 'Subject' },
  from: { label: 'From', isTime: true },
  to: { label: 'To', isTime: true },
} as const satisfies FilterFields;

export const auditFields = {
  packageName: { label: 'App', isApp: true },
  ...changesFields,
} as const satisfies FilterFields;
