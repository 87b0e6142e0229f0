// The state of a subscription in a word.

import type { ListedSubscription } from '@opentill/client/operator';
import type { ToneName } from './colors.ts';
import { State } from './state.tsx';

type SubscriptionStateName = ListedSubscription['state'];

export const subscriptionStates: Readonly<Record<SubscriptionStateName, string>> = {
  active: 'active',
  auto_payment_off: 'auto-payment off',
  payment_outstanding: 'payment outstanding',
  expired: 'expired',
  terminated: 'terminated',
};

const tones = {
  active: 'calm',
  auto_payment_off: 'calm',
  payment_outstanding: 'waiting',
  expired: 'calm',
  terminated: 'bad',
} as const satisfies Readonly<Record<SubscriptionStateName, ToneName | 'calm'>>;

export function SubscriptionState({ state }: { readonly state: SubscriptionStateName }) {
  return <State tone={tones[state]}>{subscriptionStates[state]}</State>;
}
