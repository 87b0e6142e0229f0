// The search parameters of the page of a subscription: the tab, and the window of the picture.

import type { FilterFields } from '../../parts/filter-fields.ts';

/** The tabs below the picture. */
export const subscriptionTabs = {
  months: 'Months',
  charges: 'Charges',
  events: 'Events',
  actions: 'Actions with notes',
  developer: 'What the developer sees',
} as const;

/** Numbers of months that the picture can show. */
export const windowSizes = ['3', '6', '12', '24', '60'] as const;

export const subscriptionFields = {
  tab: { label: 'Tab', options: subscriptionTabs },
  /** The last month of the window, from 1; the newest one if absent. */
  until: { label: 'Until month' },
  months: { label: 'Months', options: Object.fromEntries(windowSizes.map((size) => [size, size])) },
} as const satisfies FilterFields;
