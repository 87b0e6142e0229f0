// A titled part of a page that shows the result of calls: a skeleton while it loads, the problem if it fails.

import { Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { hasNoResponse, hasStatus } from '../api/client.ts';
import { useConnection } from '../api/connection.ts';
import { linkTo, PageLink } from './page-link.tsx';
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
  /** The content of the panel, in a few words; with `aside` right after the title. */
  readonly note?: ReactNode;
  /** In the line of the title: a legend and buttons. */
  readonly aside?: ReactNode;
  readonly state: PanelState;
  /** About as many as the content will have, so that nothing moves then. */
  readonly lines?: number | undefined;
  /** The id of a record, which may belong to another app. */
  readonly id?: string | undefined;
  readonly children: ReactNode;
}

export function Panel({ title, note, aside, state, lines, id, children }: PanelProps) {
  const titleId = useId();
  return (
    <Paper component="section" withBorder radius="md" p="md" aria-labelledby={titleId}>
      <Stack gap="sm">
        <Group gap="xs" align={aside === undefined ? 'baseline' : 'center'}>
          <Title order={2} id={titleId}>
            {title}
          </Title>
          {note !== undefined && (
            <Text size="xs" c="dimmed" {...(aside === undefined && { ml: 'auto' })}>
              {note}
            </Text>
          )}
          {aside !== undefined && state.data !== undefined && (
            <Group gap="xs" ml="auto">
              {aside}
            </Group>
          )}
        </Group>
        <PanelContent state={state} lines={lines} id={id}>
          {children}
        </PanelContent>
      </Stack>
    </Paper>
  );
}

const lineHeight = 34;

type PanelContentProps = Omit<PanelProps, 'title' | 'note' | 'aside'>;

export function PanelContent({ state, lines = 3, id, children }: PanelContentProps) {
  const { isLost } = useConnection();
  if (state.isPending) return <Skeleton height={lines * lineHeight} />;
  // One bar for the whole page reports an outage.
  const isSilent = isLost && hasNoResponse(state.error);
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
      {id !== undefined && hasStatus(state.error, 404) && (
        <PageLink {...linkTo.find(id)}>Find this id in all apps</PageLink>
      )}
      {state.data !== undefined && children}
    </>
  );
}
