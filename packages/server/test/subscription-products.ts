// Subscription products of every period, next to the `monthly` one of each test app.

import type { Period } from '@opentill/contract/periods.ts';
import { operatorOf, type TestApp, untilAvailable } from '../../../test/support/harness.ts';
import type { ServerAddress } from '../../../test/support/start/opentill-process.ts';

export const subscriptionProducts = {
  P1W: 'weekly',
  P1M: 'monthly',
  P3M: 'quarterly',
  P6M: 'half-yearly',
  P1Y: 'yearly',
} as const satisfies Record<Period, string>;

/** Adds a subscription product with this period to an app, and returns its id. */
export async function putSubscription(
  server: Pick<ServerAddress, 'operatorUrl'>,
  { packageName }: Pick<TestApp, 'packageName'>,
  period: Period,
): Promise<string> {
  const productId = subscriptionProducts[period];
  const product = { type: 'subscription', period, price: 499, currency: 'EUR' } as const;
  await untilAvailable(() => operatorOf(server).putProduct({ packageName, productId, ...product }));
  return productId;
}
