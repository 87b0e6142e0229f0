// What operators have changed last.

import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { changesQuery } from '../../api/overview.ts';
import { ActionSentence } from '../../parts/action-labels.tsx';
import { ChangesLink } from '../../parts/app-name.tsx';
import { Author } from '../../parts/author.tsx';
import { Empty } from '../../parts/empty.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Records } from '../../parts/records.tsx';

export function Changes() {
  const changes = useQuery(changesQuery);
  const { data: actions = [] } = changes;
  return (
    <Panel title="Latest changes" state={changes}>
      {actions.length === 0 ? (
        <Empty text="No operator has changed anything." />
      ) : (
        <Records
          label="Latest changes"
          rows={actions}
          keyOf={({ packageName, order }) => `${packageName} ${order}`}
          columns={[
            { title: 'Time', clock: 'real', time: ({ time }) => time },
            {
              title: 'Action',
              cell: (action) => <ActionSentence action={action} subject={action.subject} />,
            },
            {
              title: 'App',
              cell: ({ packageName }) =>
                packageName === undefined ? '-' : <ChangesLink packageName={packageName} />,
            },
            { title: 'By', cell: ({ madeBy }) => <Author madeBy={madeBy} /> },
          ]}
        />
      )}
      <Text size="sm">
        <PageLink to="/audit" underline="always">
          Open the audit trail
        </PageLink>
      </Text>
    </Panel>
  );
}
