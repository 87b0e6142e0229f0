// Compares the terms of a repeated recordPurchase with those of the recorded sale.

import { compareTerms, type SentTerms } from '../../domain/subscriptions/sold-terms.ts';
import type { Database } from '../../store/connection/database.ts';
import { findSoldRenewalPrice } from '../../store/events/events.ts';
import type { PurchaseRow } from '../../store/purchases/purchases.ts';
import { findSubscription } from '../../store/subscriptions/subscriptions.ts';

/** Returns the names of the terms that differ. A change of the renewalPrice since the sale is none of them. */
export async function compareSold(
  database: Database,
  { packageName, purchaseId, firstPurchaseId }: PurchaseRow,
  sent: SentTerms,
): Promise<readonly (keyof SentTerms)[]> {
  if (purchaseId !== firstPurchaseId) return compareTerms(undefined, sent);
  const key = { packageName, firstPurchaseId };
  const subscription = await findSubscription(database, key);
  if (subscription === undefined) return compareTerms(undefined, sent);
  const renewalPrice = (await findSoldRenewalPrice(database, key)) ?? subscription.renewalPrice;
  return compareTerms({ ...subscription, renewalPrice }, sent);
}
