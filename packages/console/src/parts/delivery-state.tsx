// The state of a delivery in words.

import { State } from './state.tsx';

/** `held` waits behind an earlier event of the same subject. */
export const deliveryWords = {
  delivered: 'delivered',
  waiting: 'waiting',
  held: 'queued',
  dead: 'given up',
} as const;

const tones = { delivered: 'calm', waiting: 'waiting', held: 'waiting', dead: 'bad' } as const;

export function DeliveryState({ state }: { readonly state: keyof typeof tones }) {
  return <State tone={tones[state]}>{deliveryWords[state]}</State>;
}
