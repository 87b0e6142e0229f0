// The query of what needs attention, for the bar of every page and the overview, with its words and colors.

import {
  type AttentionKind,
  type AttentionKindFacts,
  attentionKinds,
} from '@opentill/contract/attention-kinds.ts';
import { useQuery } from '@tanstack/react-query';
import { callQuery, type ResultOf, refreshEveryMs } from './client.ts';
import { useConnection } from './connection.ts';
import { sessionQuery } from './session.ts';

export type AttentionRow = ResultOf<'listAttention'>['rows'][number];

/** As long as the server remembers its response. */
const attentionFreshMs = 5_000;

/** While the server does not respond. */
const lostEveryMs = 3_000;

export const attentionQuery = { ...callQuery('listAttention', {}), staleTime: attentionFreshMs };

/** It is polled in one place, which also notices the end of an outage. */
export function useAttention({ isPolled = false } = {}) {
  const { data } = useQuery(sessionQuery);
  const { isLost } = useConnection();
  return useQuery({
    ...attentionQuery,
    enabled: data?.session?.mayCall.includes('listAttention') === true,
    refetchInterval: isPolled && (isLost ? lostEveryMs : refreshEveryMs),
  });
}

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
