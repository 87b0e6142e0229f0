// The state of a purchase in a word.

import { Badge } from '@mantine/core';
import type { Purchase } from '@opentill/client/operator';

type StateFields = Pick<Purchase, 'purchaseState' | 'consumptionState'>;

export function stateOf({ purchaseState, consumptionState }: StateFields): string {
  if (purchaseState === 1) return 'voided';
  return consumptionState === 1 ? 'consumed' : 'completed';
}

export function PurchaseState({ purchase }: { readonly purchase: StateFields }) {
  const state = stateOf(purchase);
  return state === 'voided' ? (
    <Badge color="red" variant="light">
      voided
    </Badge>
  ) : (
    <Badge variant="default">{state}</Badge>
  );
}
