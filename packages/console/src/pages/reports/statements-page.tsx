// The closed months of an app with their totals, next to what reports say of the same months.

import { Group, Stack, Text } from '@mantine/core';
import type { OperatorOperations } from '@opentill/client/operator';
import { soFar } from '@opentill/contract/open-month.ts';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { callQuery } from '../../api/client.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { ButtonLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Records } from '../../parts/records.tsx';
import { SaveButton } from '../../parts/save-button.tsx';
import { dayAfter } from '../../values/days.ts';
import { Money, useMoneyText } from '../../values/money.tsx';
import { ReportTabs } from './report-tabs.tsx';

type Statement = Awaited<ReturnType<OperatorOperations['listStatements']>>['statements'][number];
type Total = Statement['totals'][number];

/** A currency of a statement; a statement without entries has one without a total. */
interface Line {
  readonly statement: Statement;
  readonly total: Total | undefined;
  /** What remains of its month in reports, unless it closed in another time zone, as an imported one may have. */
  readonly reported: number | undefined;
}

/** A year, which reports cover at once. */
const statementsOfPage = 12;

export function StatementsPage() {
  const { packageName, pageToken } = useSearch({ from: '/frame/reports/statements' });
  return (
    <Stack gap="lg">
      <PageHeading title="Statements" />
      <ReportTabs packageName={packageName} />
      {packageName === undefined ? (
        <Empty text="Each app has its own statements: choose an app above the navigation." />
      ) : (
        <Statements key={packageName} packageName={packageName} pageToken={pageToken} />
      )}
    </Stack>
  );
}

interface StatementsProps {
  readonly packageName: string;
  readonly pageToken: string | undefined;
}

function Statements({ packageName, pageToken }: StatementsProps) {
  const list = useQuery(callQuery('listStatements', { packageName, pageSize: statementsOfPage, pageToken }));
  const open = useQuery(callQuery('getStatement', { packageName, name: soFar }));
  const { statements = [], nextPageToken } = list.data ?? {};
  const [newest, oldest] = [statements[0]?.name, statements.at(-1)?.name];
  const reports = useQuery({
    ...callQuery('getStatistics', {
      ...{ packageName, by: 'month' },
      from: `${oldest}-01`,
      to: newest === undefined ? '' : lastDayOf(newest),
    }),
    enabled: newest !== undefined,
  });
  const shown = pageToken === undefined && open.data !== undefined ? [open.data, ...statements] : statements;
  const lines = shown.flatMap((statement) => linesOf(statement, reports.data));
  const compared = lines.filter(({ reported }) => reported !== undefined);
  return (
    <Panel title="Statements" state={list}>
      <Stack gap="sm" align="stretch">
        <Difference
          line={compared.find(({ reported, total }) => reported !== total?.netAmount) ?? compared[0]}
        />
        <Records
          label="Statements"
          rows={lines}
          keyOf={({ statement, total }) => `${statement.name} ${total?.currency}`}
          columns={columns}
        />
        <Group gap="xs">
          {pageToken !== undefined && <PageButton packageName={packageName} label="First page" />}
          {nextPageToken !== undefined && (
            <PageButton packageName={packageName} label="Older" pageToken={nextPageToken} />
          )}
        </Group>
      </Stack>
    </Panel>
  );
}

function PageButton({ label, ...search }: Partial<StatementsProps> & { readonly label: string }) {
  return (
    <ButtonLink to="." search={search} variant="default">
      {label}
    </ButtonLink>
  );
}

const lastDayOf = (month: string): string => dayAfter(`${dayAfter(`${month}-01`, 31).slice(0, 7)}-01`, -1);

function linesOf(
  statement: Statement,
  reports: Awaited<ReturnType<OperatorOperations['getStatistics']>> | undefined,
): Line[] {
  const { name, timeZone, totals } = statement;
  if (totals.length === 0) return [{ statement, total: undefined, reported: undefined }];
  return totals.map((total) => {
    const row = reports?.rows.find(
      ({ period, currency }) => period === `${name}-01` && currency === total.currency,
    );
    const isComparable = name !== soFar && reports?.timeZone === timeZone;
    const reported = isComparable ? (row?.soldAmount ?? 0) - (row?.voidedAmount ?? 0) : undefined;
    return { statement, total, reported };
  });
}

const amount = (title: string, amountOf: (line: Line) => number | undefined): Column<Line> => ({
  ...{ title, align: 'right' },
  cell(line) {
    const price = amountOf(line);
    return price !== undefined && line.total && <Money price={price} currency={line.total.currency} />;
  },
});

const columns: readonly Column<Line>[] = [
  {
    title: 'Month',
    cell: ({ statement: { name, isIncomplete } }) =>
      name === soFar ? 'So far' : `${name}${isIncomplete ? ', incomplete: events were removed' : ''}`,
  },
  { title: 'Currency', cell: ({ total }) => total?.currency ?? 'No entries' },
  amount('Sales', ({ total }) => total?.salesAmount),
  { title: 'Trials', cell: ({ total }) => total?.trials, align: 'right' },
  amount('Renewals', ({ total }) => total?.renewalsAmount),
  amount('Refunds', ({ total }) => total?.refundsAmount),
  amount('Net', ({ total }) => total?.netAmount),
  amount('Net by day', ({ reported }) => reported),
  {
    title: 'Lines',
    align: 'right',
    cell: ({ statement: { packageName, name } }) => (
      <SaveButton
        save={(client) => client.getStatement({ packageName, name })}
        fileName={`statement-of-${packageName}-${name}`}
        title={name}
      />
    ),
  },
];

/** Why a month has two numbers, with both of one month. */
function Difference({ line }: { readonly line: Line | undefined }) {
  const money = useMoneyText();
  const { statement, total, reported } = line ?? {};
  const of = (price: number) => money({ price, currency: total?.currency ?? 'EUR' });
  return (
    <Text size="sm" c="dimmed">
      A statement counts what was booked in its month and never changes. Reports by day count sales by the
      time of their purchase, and change when one is recorded late
      {statement === undefined || total === undefined || reported === undefined
        ? '.'
        : `: the net of ${statement.name} is ${of(total.netAmount)} here and ${of(reported)} there.`}
    </Text>
  );
}
