// The state of a purchase in a word.

import type { Purchase } from '@opentill/client/operator';
import { State } from './state.tsx';

type StateFields = Pick<Purchase, 'purchaseState' | 'consumptionState'>;

export function stateOf({ purchaseState, consumptionState }: StateFields): string {
  if (purchaseState === 1) return 'voided';
  return consumptionState === 1 ? 'consumed' : 'completed';
}

export function PurchaseState({ purchase }: { readonly purchase: StateFields }) {
  const state = stateOf(purchase);
  return <State tone={state === 'voided' ? 'bad' : 'calm'}>{state}</State>;
}
