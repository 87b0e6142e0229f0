// The color of what needs attention.

import {
  type AttentionKind,
  type AttentionKindFacts,
  attentionKinds,
} from '@opentill/contract/attention-kinds.ts';

const tones = { critical: 'bad', warning: 'waiting', notice: 'info' } as const;

export function attentionFacts(kind: string): AttentionKindFacts {
  return attentionKinds[kind as AttentionKind];
}

export function attentionTone(kind: string) {
  return tones[attentionFacts(kind).severity];
}
