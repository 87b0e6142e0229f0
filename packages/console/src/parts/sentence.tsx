// A sentence about what happened, with the name that the API has for it behind.

import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { eventText } from './event-labels.ts';

interface SentenceProps {
  /** The name of the event or operation. */
  readonly name: string;
  readonly children: ReactNode;
}

export function Sentence({ name, children }: SentenceProps) {
  return (
    <Text span size="sm">
      {children}{' '}
      <Text span size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
    </Text>
  );
}

export function EventSentence({ type }: { readonly type: string }) {
  return <Sentence name={type}>{eventText(type)}</Sentence>;
}
