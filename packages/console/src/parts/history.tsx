// What happened to a record, one step after another: when, in words, by whom.

import { Box, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Author } from './author.tsx';
import { Instant, secondsFormat, TimeFormatContext } from './instant.tsx';
import { Sentence } from './sentence.tsx';

export function History({ children }: { readonly children: ReactNode }) {
  return (
    <TimeFormatContext value={secondsFormat}>
      <Stack component="ol" aria-label="What happened" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {children}
      </Stack>
    </TimeFormatContext>
  );
}

export interface HistoryEntryProps {
  readonly time: number;
  /** Absent: that of the app. */
  readonly clock?: 'real';
  readonly sentence: string;
  readonly by: string | undefined;
  /** The name of the event or operation. */
  readonly name: string;
}

interface StepProps extends HistoryEntryProps {
  readonly children: ReactNode;
}

export function HistoryEntry({ time, clock, sentence, by, name, children }: StepProps) {
  return (
    <Group component="li" gap="md" align="flex-start" wrap="wrap">
      <Box fz="sm" c="dimmed" miw={200}>
        <Instant ms={time} {...(clock !== undefined && { clock })} />
      </Box>
      <Stack gap="xxs" style={{ flex: '1 1 240px', minWidth: 0 }}>
        <Sentence name={name}>
          <b>{sentence}</b>
          {by !== undefined && (
            <>
              {' '}
              by <Author madeBy={by} />
            </>
          )}
        </Sentence>
        {children}
      </Stack>
    </Group>
  );
}
