// A titled part of a page that shows the result of calls: a skeleton while it loads, the problem if it fails.

import { Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { isUnanswered } from '../api/client.ts';
import { useConnection } from '../api/connection.ts';
import { Problem } from './problem.tsx';

/** The state of one query, or of several together. */
export interface PanelState {
  readonly isPending: boolean;
  readonly error: unknown;
  /** undefined until the first success; kept when a later call fails. */
  readonly data: unknown;
  readonly refetch: () => unknown;
}

/** Several states as one. */
export function joinedState(states: readonly PanelState[]): PanelState {
  return {
    isPending: states.some(({ isPending }) => isPending),
    error: states.find(({ error }) => error !== null)?.error ?? null,
    data: states.find(({ data }) => data === undefined) === undefined ? states : undefined,
    refetch: () => states.map(({ refetch }) => refetch()),
  };
}

interface PanelProps {
  readonly title: string;
  /** The content of the panel, in a few words. */
  readonly note?: string | undefined;
  readonly state: PanelState;
  readonly children: ReactNode;
}

const skeletonRows = [1, 2, 3];

export function Panel({ title, note, state, children }: PanelProps) {
  const titleId = useId();
  return (
    <Paper component="section" withBorder radius="md" p="md" aria-labelledby={titleId}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs" align="baseline">
          <Title order={2} id={titleId}>
            {title}
          </Title>
          {note !== undefined && (
            <Text size="xs" c="dimmed">
              {note}
            </Text>
          )}
        </Group>
        <PanelContent state={state}>{children}</PanelContent>
      </Stack>
    </Paper>
  );
}

export function PanelContent({ state, children }: Pick<PanelProps, 'state' | 'children'>) {
  const { isLost } = useConnection();
  if (state.isPending) return skeletonRows.map((row) => <Skeleton key={row} height={28} />);
  // One bar for the whole page reports an outage.
  const isSilent = isLost && isUnanswered(state.error);
  if (isSilent && state.data === undefined) {
    return (
      <Text size="sm" c="dimmed">
        Waiting for the server.
      </Text>
    );
  }
  return (
    <>
      {state.error !== null && !isSilent && (
        <Problem error={state.error} onRetry={() => void state.refetch()} />
      )}
      {state.data !== undefined && children}
    </>
  );
}
