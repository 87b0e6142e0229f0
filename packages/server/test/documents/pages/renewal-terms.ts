// docs/renewal-terms.md: subscriptions whose paid period ends within a day, one of them a trial.

import { systemClock } from '../../../src/runtime/clock.ts';
import type { Site } from '../site.ts';

const [hourMs, dayMs] = [3_600_000, 86_400_000];

export async function prepare({ operator, operatorKey }: Site): Promise<Record<string, string>> {
  const packageName = 'com.example.demo';
  const purchaseTime = systemClock.now() - 28 * dayMs + 12 * hourMs;
  for (const purchaseId of ['CLUB-1', 'CLUB-2', 'TRIAL-1']) {
    const firstPeriod = { length: 'P28D', price: purchaseId === 'TRIAL-1' ? 0 : 999 };
    await operator.recordPurchase({
      ...{ packageName, productId: 'club_monthly', purchaseId, purchaseTime, firstPeriod },
    });
  }
  return { OPERATOR_KEY: operatorKey };
}
