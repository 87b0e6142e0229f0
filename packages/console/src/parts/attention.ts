// What needs attention, in words and colors.

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

/** The number of rows that need attention, in words. */
export function attentionText(count: number): string {
  return count === 1 ? '1 needs attention' : `${count} need attention`;
}
