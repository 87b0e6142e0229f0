// What operators have changed since yesterday, by operation and author.

import { Text } from '@mantine/core';
import type { Action } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { changesQuery } from '../../api/overview.ts';
import { ActionSentence } from '../../parts/action-words.tsx';
import { Author } from '../../parts/author.tsx';
import { Empty } from '../../parts/empty.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Records } from '../../parts/records.tsx';

/** The most frequent ones; the audit trail has the rest. */
const rowsMax = 8;

interface Change {
  readonly operationId: string;
  readonly madeBy: string;
  readonly count: number;
}

export function Changes() {
  const changes = useQuery(changesQuery);
  const { actions = [], nextPageToken } = changes.data ?? {};
  const rows = grouped(actions);
  return (
    <Panel
      title="Changed in the last 24 hours"
      note={nextPageToken === undefined ? undefined : `the latest ${actions.length} calls`}
      state={changes}
    >
      {rows.length === 0 ? (
        <Empty text="No operator has changed anything." />
      ) : (
        <Records
          label="Changes"
          rows={rows.slice(0, rowsMax)}
          keyOf={({ operationId, madeBy }) => `${operationId} ${madeBy}`}
          columns={[
            { title: 'Action', cell: ({ operationId }) => <ActionSentence action={{ operationId }} /> },
            { title: 'By', cell: ({ madeBy }) => <Author madeBy={madeBy} /> },
            { title: 'Times', align: 'right', cell: ({ count }) => count },
          ]}
        />
      )}
      <Text size="sm">
        <PageLink to="/audit" search={{ from: '-24h' }}>
          {rows.length > rowsMax
            ? `${rows.length - rowsMax} more in the audit trail`
            : 'Open the audit trail'}
        </PageLink>
      </Text>
    </Panel>
  );
}

function grouped(actions: readonly Action[]): Change[] {
  const changes = new Map<string, Change>();
  for (const { operationId, madeBy } of actions) {
    const key = `${operationId} ${madeBy}`;
    changes.set(key, { operationId, madeBy, count: (changes.get(key)?.count ?? 0) + 1 });
  }
  return [...changes.values()].toSorted((left, right) => right.count - left.count);
}
