// The state of a subscription in a word.

import { Badge } from '@mantine/core';
import type { ListedSubscription } from '@opentill/client/operator';

type State = ListedSubscription['state'];

export const subscriptionStates: Readonly<Record<State, string>> = {
  active: 'active',
  auto_payment_off: 'auto-payment off',
  payment_outstanding: 'payment outstanding',
  expired: 'expired',
  terminated: 'terminated',
};

/** The light variant of orange has too little contrast. */
export function WaitingBadge({ text }: { readonly text: string }) {
  return (
    <Badge variant="default" c="light-dark(#a35200, #ffc078)">
      {text}
    </Badge>
  );
}

export function SubscriptionState({ state }: { readonly state: State }) {
  const text = subscriptionStates[state];
  if (state === 'payment_outstanding') {
    return <WaitingBadge text={text} />;
  }
  return state === 'terminated' ? (
    <Badge color="red" variant="light">
      {text}
    </Badge>
  ) : (
    <Badge variant="default">{text}</Badge>
  );
}
