// Numbers by day as stacked columns, also as a table with a last line of totals, and a file of the days.

import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Box, Button, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { SessionClient } from '@opentill/client/operator';
import { colors, type ToneName } from '../parts/colors.ts';
import { Empty } from '../parts/empty.tsx';
import { type Column, Records } from '../parts/records.tsx';
import { SaveButton } from '../parts/save-button.tsx';
import { dateText } from '../values/date-text.ts';

export interface ChartSeries<Row> {
  readonly name: string;
  readonly tone: ToneName;
  /** Distinguishes series of the same tone. */
  readonly isPale?: boolean;
  /** Counts against the others, so it is drawn below the line. */
  readonly isBelow?: boolean;
  readonly value: (row: Row) => number;
}

interface PeriodRow {
  /** The first day. */
  readonly period: string;
}

interface ColumnsChartProps<Row extends PeriodRow> {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly series: readonly ChartSeries<Row>[];
  /** Writes a value in the table: a number or an amount of money. */
  readonly text: (value: number) => string;
  /** Writes a value at the axis, where there is little room. By default, the text. */
  readonly axisText?: (value: number) => string;
  /** Shown instead of columns without any height. */
  readonly empty: string;
  /** Makes the call whose response has all days, in every currency. */
  readonly save: (client: SessionClient) => Promise<unknown>;
}

const height = 220;

export function ColumnsChart<Row extends PeriodRow>(props: ColumnsChartProps<Row>) {
  const { title, rows, series, text, empty, save } = props;
  const [isTable, { toggle }] = useDisclosure();
  const totals = series.map(({ value }) => rows.reduce((sum, row) => sum + value(row), 0));
  if (totals.every((total) => total === 0)) return <Empty text={empty} />;
  const sums = series.map(({ name }, index) => `${name} ${text(totals[index] ?? 0)}`);
  const lines: TableLine[] = rows.map((row) => ({
    period: row.period,
    values: series.map(({ value }) => value(row)),
  }));
  const table = [...lines, { period: 'Total', values: totals }];
  const columns: readonly Column<TableLine>[] = [
    { title: 'From', cell: ({ period }) => dateText(period) },
    ...series.map(({ name }, index) => ({
      title: name,
      align: 'right' as const,
      cell: ({ values }: TableLine) => text(values[index] ?? 0),
    })),
  ];
  return (
    <Stack gap="xs">
      <Group justify="flex-end" gap="xs">
        <Button
          variant="default"
          aria-pressed={isTable}
          onClick={toggle}
          aria-label={`Show as table: ${title}`}
        >
          Show as table
        </Button>
        <SaveButton save={save} fileName={title.toLowerCase()} title={title} />
      </Group>
      {isTable ? (
        <Records label={title} rows={table} keyOf={({ period }) => period} columns={columns} />
      ) : (
        <Box role="group" aria-label={`${title}, ${rows.length} columns: ${sums.join(', ')}`}>
          <Chart {...props} />
        </Box>
      )}
    </Stack>
  );
}

interface TableLine {
  readonly period: string;
  readonly values: readonly number[];
}

function Chart<Row extends PeriodRow>({ rows, series, text, axisText = text }: ColumnsChartProps<Row>) {
  const data = rows.map((row) => ({
    period: dayText(row.period),
    ...Object.fromEntries(
      series.map(({ name, value, isBelow }) => [name, isBelow === true ? -value(row) : value(row)]),
    ),
  }));
  return (
    <BarChart
      h={height}
      type="stacked"
      data={data}
      dataKey="period"
      series={series.map(({ name, tone, isPale = false }) => ({ name, color: colorOf(tone, isPale) }))}
      withLegend
      // Recharts sorts by name otherwise.
      legendProps={{ itemSorter: null }}
      // Below the legend.
      tooltipProps={{ position: { y: 40 } }}
      // Values below the line are negative only for drawing.
      valueFormatter={(value) => text(Math.abs(value))}
      xAxisProps={{ interval: 'equidistantPreserveStart' }}
      yAxisProps={{
        tickFormatter: (value: number) => axisText(value),
        allowDecimals: false,
        width: 'auto',
      }}
      barChartProps={{ stackOffset: 'sign' }}
      barProps={{ isAnimationActive: false }}
    />
  );
}

function colorOf(tone: ToneName, isPale: boolean): string {
  const { fill } = colors[tone];
  return isPale ? `color-mix(in srgb, ${fill} 50%, ${colors.card})` : fill;
}

/** "22 Mar" of a day of the store. */
function dayText(day: string): string {
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    Date.parse(day),
  );
}
