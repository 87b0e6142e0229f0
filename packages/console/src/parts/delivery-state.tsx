// The state of a delivery in a word.

import { Badge } from '@mantine/core';

type State = 'delivered' | 'waiting' | 'held' | 'dead';

export function DeliveryState({ state }: { readonly state: State }) {
  if (state === 'dead') {
    return (
      <Badge color="red" variant="light">
        dead
      </Badge>
    );
  }
  return <Badge variant={state === 'delivered' ? 'outline' : 'default'}>{state}</Badge>;
}
