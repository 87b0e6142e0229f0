// The actions of operators: who did what, and why. The audit trail of the store, and the changes of an app.

import { Stack, Text } from '@mantine/core';
import type { Action } from '@opentill/client/operator';
import { useParams, useSearch } from '@tanstack/react-router';
import type { FilterFields, Search } from '../filters/filter-fields.ts';
import { limitsOf } from '../filters/instant-filter.ts';
import { auditFields, changesFields } from '../filters/page-filters.ts';
import { actionColumn, actionSentences, changedAppColumn } from '../parts/action-labels.tsx';
import { Author, madeByOf } from '../parts/author.tsx';
import { Empty } from '../parts/empty.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { PageList } from '../parts/page-list.tsx';
import { useTimeZone } from '../parts/preferences.ts';
import { reasonText } from '../parts/reason.tsx';

export function AuditPage() {
  const search = useSearch({ from: '/frame/audit' });
  return (
    <Stack gap="lg">
      <PageHeading title="Audit" />
      <ActionsList label="Actions" fields={auditFields} search={search} />
    </Stack>
  );
}

export function AppChanges() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const search = useSearch({ from: '/frame/apps/$packageName/changes' });
  return <ActionsList label="Changes" fields={changesFields} search={search} packageName={packageName} />;
}

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

function ActionsList({ label, fields, search, packageName }: ActionsListProps) {
  const app = packageName ?? search['packageName'];
  const timeZone = useTimeZone();
  const { by, operationId, subject, from, to } = search;
  return (
    <PageList
      label={label}
      fields={{ ...fields, operationId: { label: 'Operation', options: operations } }}
      search={search}
      rows="actions"
      load={(client, page, options) =>
        client.listActions(
          {
            packageName: app,
            by: by && madeByOf(by),
            operationId,
            subject,
            ...limitsOf({ from, to }, timeZone),
            ...page,
          },
          options,
        )
      }
      keyOf={({ packageName: of = '', order }) => `${of}/${order}`}
      columns={[
        { title: 'Time', clock: 'real', time: ({ time }) => time },
        actionColumn,
        ...(packageName === undefined ? [changedAppColumn] : []),
        { title: 'Reason', cell: reasonText },
        { title: 'By', cell: (action) => <Who action={action} /> },
      ]}
      empty={<Empty text="No operator has changed anything yet." />}
      fileName={packageName === undefined ? 'audit' : `changes-of-${packageName}`}
    />
  );
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
