// The filters of the list of subscriptions, which are those of listSubscriptions.

import type { FilterFields } from '../../parts/filter-fields.ts';
import { subscriptionStates } from '../../parts/subscription-state.tsx';

export const subscriptionsFields = {
  packageName: { label: 'App', isApp: true },
  state: { label: 'State', options: subscriptionStates },
  productId: { label: 'Product' },
  buyerId: { label: 'Buyer' },
  nextPaymentBefore: {
    label: 'Next payment',
    isTime: true,
    options: { '+1d': 'within a day', '+7d': 'within 7 days', '+30d': 'within 30 days' },
  },
} as const satisfies FilterFields;
