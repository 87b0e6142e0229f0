// The search parameters of the page of a subscription: the tab, and the last month of the picture.

import type { FilterFields } from '../../parts/filter-fields.ts';

/** The tabs below the picture. */
export const subscriptionTabs = {
  months: 'Months',
  charges: 'Charges',
  events: 'Events',
} as const;

export const subscriptionFields = {
  tab: { label: 'Tab', options: subscriptionTabs },
  /** The last month of the window, from 1; the newest one if absent. */
  until: { label: 'Until month' },
} as const satisfies FilterFields;
