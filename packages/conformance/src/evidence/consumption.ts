// The responses to consuming a purchase, with sequential and with concurrent calls.

import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { found, type Providers, provider } from '../evidence.ts';

/** Concurrent calls for the same purchase. */
const rivals = 10;

export const consumptionProviders: Providers<'consumption' | 'race'> = {
  consumption: provider(
    ['caller', 'consumablePurchase'],
    async ({ caller, consumablePurchase: purchaseId }) => {
      const path = { purchaseId };
      const byGet = await caller.call(consumePurchase, { path, method: 'GET' });
      const detailsAfterGet = await caller.call(getPurchaseDetails, { path });
      const first = await caller.call(consumePurchase, { path });
      const detailsAfterFirst = await caller.call(getPurchaseDetails, { path });
      const second = await caller.call(consumePurchase, { path });
      const detailsAfterSecond = await caller.call(getPurchaseDetails, { path });
      return found({
        purchaseId,
        byGet,
        detailsAfterGet,
        first,
        detailsAfterFirst,
        second,
        detailsAfterSecond,
      });
    },
  ),
  race: provider(['caller', 'contestedPurchase'], async ({ caller, contestedPurchase: purchaseId }) => {
    const path = { purchaseId };
    const calls = Array.from({ length: rivals }, () => caller.call(consumePurchase, { path }));
    return found(await Promise.all(calls));
  }),
};
