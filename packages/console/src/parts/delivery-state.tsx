// The state of a delivery in a word.

import { State } from './state.tsx';

const tones = { delivered: 'calm', waiting: 'waiting', held: 'waiting', dead: 'bad' } as const;

export function DeliveryState({ state }: { readonly state: keyof typeof tones }) {
  return <State tone={tones[state]}>{state}</State>;
}
