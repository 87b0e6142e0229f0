// An entry of a live column, and JSON in its details.

import { Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface FeedEntryProps {
  readonly title: ReactNode;
  readonly time: ReactNode;
  readonly badges: ReactNode;
  readonly children: ReactNode;
}

/** A line that opens its details. */
export function FeedEntry({ title, time, badges, children }: FeedEntryProps) {
  return (
    <li className="feed-entry">
      <details>
        <summary>
          <Group gap="xs" justify="space-between" style={{ rowGap: 0 }}>
            <Text span size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Text>
            <Group gap={4}>{badges}</Group>
          </Group>
          <Text size="xs" c="dimmed">
            {time}
          </Text>
        </summary>
        <Stack gap="xs" pt="xs">
          {children}
        </Stack>
      </details>
    </li>
  );
}

export function JsonText({ value }: { readonly value: unknown }) {
  return (
    <Code
      block
      tabIndex={0}
      style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxHeight: '20rem', overflow: 'auto' }}
    >
      {JSON.stringify(value, null, 2)}
    </Code>
  );
}
