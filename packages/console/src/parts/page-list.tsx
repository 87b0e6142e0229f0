// A list of records, 50 per page: the filters and the page are in the address, and all of its rows can be saved as CSV.

import { Group, Stack, Text } from '@mantine/core';
import type { SessionClient } from '@opentill/client/operator';
import { idsIn } from '@opentill/contract/pasted-text.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { client } from '../api/client.ts';
import type { FilterFields, Search } from '../filters/filter-fields.ts';
import { FilterBar, FilteredToNothing, isFiltered } from '../filters/filters.tsx';
import { ButtonLink } from './page-link.tsx';
import { PanelContent } from './panel.tsx';
import { Records, type RecordsProps } from './records.tsx';
import { SaveButton } from './save-button.tsx';

/** The paging parameters of a list operation. */
interface ListPage {
  readonly pageSize: number;
  readonly pageToken: string | undefined;
}

interface CallOptions {
  readonly signal: AbortSignal;
}

/** A page of a list operation, whose rows have the name of their kind. */
type LoadedPage<Name extends string, Row> = { readonly [Key in Name]: readonly Row[] } & {
  readonly nextPageToken?: string | undefined;
};

interface PageListProps<Name extends string, Row> extends Omit<RecordsProps<Row>, 'rows'> {
  readonly fields: FilterFields;
  readonly search: Search;
  /** The field of the response with the rows. */
  readonly rows: Name;
  /** Calls the operation with the filters of `search`. */
  readonly load: (
    client: SessionClient,
    page: ListPage,
    options: CallOptions,
  ) => Promise<LoadedPage<Name, Row>>;
  /** The call whose response has all rows, by default that of `load`. */
  readonly save?: (client: SessionClient) => Promise<unknown>;
  /** Shown if there are no rows and no filters. */
  readonly empty: ReactNode;
  /** The file name of the saved list, without the extension; the lists of an app have its name. */
  readonly fileName: string;
}

const rowsPerPage = 50;

/** Pages without rows that are skipped at once. */
const emptyPagesMax = 20;

export function PageList<Name extends string, Row>({
  fields,
  search,
  rows: name,
  load,
  // A file has all pages.
  save = (saving) => load(saving, { pageSize: rowsPerPage, pageToken: undefined }, new AbortController()),
  empty,
  fileName,
  ...records
}: PageListProps<Name, Row>) {
  const { pageToken, ...filters } = search;
  const list = useQuery({
    queryKey: ['list', fileName, filters, pageToken ?? ''],
    queryFn: async (options) => {
      let page = await load(client, { pageSize: rowsPerPage, pageToken }, options);
      for (let count = 1; count < emptyPagesMax && page[name].length === 0; count += 1) {
        if (page.nextPageToken === undefined) break;
        page = await load(client, { pageSize: rowsPerPage, pageToken: page.nextPageToken }, options);
      }
      return page;
    },
    placeholderData: keepPreviousData,
  });
  const isRead = list.isSuccess && !list.isPlaceholderData;
  const rows = list.data?.[name] ?? [];
  const nextPageToken = list.data?.nextPageToken;
  const isFirst = pageToken === undefined;
  const ids = idsIn(filters);
  if (rows.length === 0 && nextPageToken === undefined && isFirst && isRead && ids !== undefined) {
    return <Navigate to="." search={ids} replace />;
  }
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end">
        <FilterBar fields={fields} search={search} />
        <SaveButton save={save} fileName={fileName} />
      </Group>
      <PanelContent state={list}>
        {rows.length > 0 && <Records {...records} rows={rows} />}
        {rows.length === 0 && nextPageToken === undefined && (
          <NoRows fields={fields} search={search} empty={empty} />
        )}
        {(nextPageToken !== undefined || !isFirst) && (
          <Group gap="xs">
            {!isFirst && <PageButton search={filters} label="First page" />}
            {nextPageToken !== undefined && (
              <PageButton search={{ ...filters, pageToken: nextPageToken }} label="Next" />
            )}
          </Group>
        )}
      </PanelContent>
      {list.isError && !isFirst && <PageButton search={filters} label="First page" />}
    </Stack>
  );
}

function NoRows({
  fields,
  search,
  empty,
}: Pick<PageListProps<string, unknown>, 'fields' | 'search' | 'empty'>) {
  if (search.pageToken !== undefined) {
    return (
      <Text size="sm" c="dimmed">
        There are no more entries.
      </Text>
    );
  }
  return isFiltered({ fields, search }) ? <FilteredToNothing fields={fields} search={search} /> : empty;
}

function PageButton({ search, label }: { readonly search: Search; readonly label: string }) {
  return (
    <ButtonLink to="." search={search} variant="default">
      {label}
    </ButtonLink>
  );
}
