// The actions of operators: who did what, and why.

import { Text } from '@mantine/core';
import type { Action } from '@opentill/client/operator';
import { client } from '../../api/client.ts';
import { ActionSentence, actionSentences } from '../../parts/action-labels.tsx';
import { ChangesLink } from '../../parts/app-name.tsx';
import { Author, madeByOf } from '../../parts/author.tsx';
import { Empty } from '../../parts/empty.tsx';
import type { FilterFields, Search } from '../../parts/filter-fields.ts';
import { instantOf } from '../../parts/instant-filter.ts';
import { PageList } from '../../parts/page-list.tsx';
import { ReasonText } from '../../parts/reason-text.tsx';
import type { Column } from '../../parts/records.tsx';

const appColumn: Column<Action> = {
  title: 'App',
  name: 'packageName',
  cell: ({ packageName }) => (packageName === undefined ? '-' : <ChangesLink packageName={packageName} />),
};

/** By their sentences. */
const operations = Object.fromEntries(
  Object.entries(actionSentences).toSorted(([, left], [, right]) => left.localeCompare(right)),
);

interface ActionsListProps {
  readonly label: string;
  readonly fields: FilterFields;
  readonly search: Search;
  /** Lists one app's actions, without the column of the app. */
  readonly packageName?: string;
}

export function ActionsList({ label, fields, search, packageName }: ActionsListProps) {
  const app = packageName ?? search['packageName'];
  const { by, operationId, subject } = search;
  return (
    <PageList
      label={label}
      fields={{ ...fields, operationId: { label: 'Operation', options: operations } }}
      search={search}
      queryKey={['actions', packageName ?? '']}
      load={async (page, signal) => {
        const { actions, nextPageToken } = await client.listActions(
          {
            packageName: app,
            by: by && madeByOf(by),
            operationId,
            subject,
            from: instantOf(search['from']),
            to: instantOf(search['to']),
            ...page,
          },
          { signal },
        );
        return { rows: actions, nextPageToken };
      }}
      keyOf={({ packageName: of = '', order }) => `${of}/${order}`}
      columns={[
        { title: 'Time', clock: 'real', name: 'time', time: ({ time }) => time },
        'order',
        { title: 'Action', name: 'operationId', cell: whatOf },
        ...(packageName === undefined ? [appColumn] : (['packageName'] as const)),
        'subject',
        { title: 'Reason', name: 'reasonCode', cell: reasonOf },
        { title: 'By', name: 'madeBy', cell: (action) => <Who action={action} /> },
        'clientAddress',
        'requestId',
        'note',
        'ticket',
        'detail',
      ]}
      empty={<Empty text="No operator has changed anything yet." />}
      fileName={packageName === undefined ? 'audit' : `changes-of-${packageName}`}
    />
  );
}

function reasonOf(action: Action) {
  const { reasonCode, note, ticket } = action;
  return (reasonCode ?? note ?? ticket) === undefined ? '-' : <ReasonText reason={action} />;
}

function whatOf(action: Action) {
  return <ActionSentence action={action} subject={action.subject} />;
}

function Who({ action: { madeBy, clientAddress, isImported } }: { readonly action: Action }) {
  return (
    <>
      <Author madeBy={madeBy} />{' '}
      <Text span size="xs" c="dimmed">
        {isImported === true ? 'imported' : clientAddress}
      </Text>
    </>
  );
}
