// A list of records, 50 per page: the filters and the page are in the address, and the rows can be saved as CSV.

import { Button, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { download } from '../runtime/download.ts';
import type { FilterFields, Search } from './filter-fields.ts';
import { FilterBar, FilteredToNothing, isFiltered } from './filters.tsx';
import { ButtonLink } from './page-link.tsx';
import { PanelContent } from './panel.tsx';
import { Problem } from './problem.tsx';
import { csvOfRecords, Records, type RecordsProps } from './records.tsx';

/** The paging parameters of a list operation. */
interface ListPage {
  readonly pageSize: number;
  readonly pageToken: string | undefined;
}

interface LoadedPage<Row> {
  readonly rows: readonly Row[];
  readonly nextPageToken?: string | undefined;
}

type Load<Row> = (page: ListPage, signal: AbortSignal) => Promise<LoadedPage<Row>>;

interface PageListProps<Row> extends Omit<RecordsProps<Row>, 'rows'> {
  readonly fields: FilterFields;
  readonly search: Search;
  /** Identifies the list; the filters are added. */
  readonly queryKey: readonly unknown[];
  /** Calls the operation with the filters of `search`. */
  readonly load: Load<Row>;
  /** Shown if there are no rows and no filters. */
  readonly empty: ReactNode;
  /** The file name of the saved list, without the extension. */
  readonly fileName: string;
}

const rowsPerPage = 50;

/** Pages without rows that are skipped at once. */
const emptyPagesMax = 20;

const csvRowsMax = 10_000;
const csvPageSize = 200;

/** Continues after pages that have a token but no rows. */
async function loadPage<Row>(load: Load<Row>, pageToken: string | undefined, signal: AbortSignal) {
  let page = await load({ pageSize: rowsPerPage, pageToken }, signal);
  for (let count = 1; count < emptyPagesMax; count += 1) {
    if (page.rows.length > 0 || page.nextPageToken === undefined) break;
    page = await load({ pageSize: rowsPerPage, pageToken: page.nextPageToken }, signal);
  }
  return page;
}

export function PageList<Row>({
  fields,
  search,
  queryKey,
  load,
  empty,
  fileName,
  ...records
}: PageListProps<Row>) {
  const { pageToken, ...filters } = search;
  const list = useQuery({
    queryKey: [...queryKey, filters, pageToken ?? ''],
    queryFn: ({ signal }) => loadPage(load, pageToken, signal),
    placeholderData: keepPreviousData,
  });
  const { rows = [], nextPageToken } = list.data ?? {};
  const isFirst = pageToken === undefined;
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end">
        <FilterBar fields={fields} search={search} />
        <CsvButton load={load} columns={records.columns} fileName={fileName} />
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

function NoRows({ fields, search, empty }: Pick<PageListProps<unknown>, 'fields' | 'search' | 'empty'>) {
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
    <ButtonLink to="." search={search} size="xs" variant="default">
      {label}
    </ButtonLink>
  );
}

function CsvButton<Row>({
  load,
  columns,
  fileName,
}: Pick<PageListProps<Row>, 'load' | 'columns' | 'fileName'>) {
  const save = useMutation({
    async mutationFn() {
      const { signal } = new AbortController();
      const rows: Row[] = [];
      let pageToken: string | undefined;
      do {
        const page = await load({ pageSize: csvPageSize, pageToken }, signal);
        rows.push(...page.rows);
        pageToken = page.nextPageToken;
      } while (pageToken !== undefined && rows.length < csvRowsMax);
      download(`${fileName}.csv`, 'text/csv', csvOfRecords(columns, rows.slice(0, csvRowsMax)));
    },
  });
  return (
    <Stack gap="xs" align="flex-end">
      <Button
        size="xs"
        variant="default"
        title={`At most ${csvRowsMax} rows`}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        Save as CSV
      </Button>
      {save.error !== null && <Problem error={save.error} />}
    </Stack>
  );
}
