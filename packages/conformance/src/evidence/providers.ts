// The provider of each piece of evidence.

import type { EvidenceName, Providers } from '../evidence.ts';
import { consumptionProviders } from './consumption.ts';
import { purchaseProviders } from './purchases.ts';
import { subscriptionProviders } from './subscriptions.ts';
import { tokenProviders } from './tokens.ts';
import { voidProviders } from './voids.ts';

export const providers: Providers<EvidenceName> = {
  ...tokenProviders,
  ...purchaseProviders,
  ...subscriptionProviders,
  ...voidProviders,
  ...consumptionProviders,
};
