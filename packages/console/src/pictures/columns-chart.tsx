// A panel with numbers by day as stacked columns, also as a table with a last line of totals, and a file of the days. What a
// column means is its title.

import { ActionIcon, Box, Group, Text } from '@mantine/core';
import { useDisclosure, useElementSize } from '@mantine/hooks';
import type { SessionClient } from '@opentill/client/operator';
import { IconTable } from '@tabler/icons-react';
import { colors, type ToneName } from '../parts/colors.ts';
import { Empty } from '../parts/empty.tsx';
import { Panel, type PanelState } from '../parts/panel.tsx';
import { type Column, Records } from '../parts/records.tsx';
import { SaveButton } from '../parts/save-button.tsx';
import { dateText } from '../values/date-text.ts';
import { counted } from '../values/quantity-text.ts';
import { axisWidth, layOutColumns } from './columns-layout.ts';

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
  readonly state: PanelState;
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

export function ColumnsChart<Row extends PeriodRow>(props: ColumnsChartProps<Row>) {
  const { title, state, rows, series, text, empty, save } = props;
  const [isTable, { toggle }] = useDisclosure();
  const heading = `${title}, ${counted(rows.length, 'day')}`;
  const totals = series.map(({ value }) => rows.reduce((sum, row) => sum + value(row), 0));
  if (totals.every((total) => total === 0)) {
    return (
      <Panel title={heading} state={state}>
        <Empty text={empty} />
      </Panel>
    );
  }
  const lines: TableLine[] = rows.map((row) => ({
    period: row.period,
    values: series.map(({ value }) => value(row)),
  }));
  const columns: readonly Column<TableLine>[] = [
    { title: 'From', cell: ({ period }) => dateText(period) },
    ...series.map(({ name }, index) => ({
      title: name,
      align: 'right' as const,
      cell: ({ values }: TableLine) => text(values[index] ?? 0),
    })),
  ];
  const aside = (
    <>
      <Legend series={series} />
      <ActionIcon
        variant="default"
        size={24}
        aria-pressed={isTable}
        onClick={toggle}
        title="Show as table"
        aria-label={`Show as table: ${title}`}
      >
        <IconTable size={16} />
      </ActionIcon>
      <SaveButton save={save} fileName={title.toLowerCase()} title={title} isIcon />
    </>
  );
  return (
    <Panel title={heading} state={state} aside={aside}>
      {isTable ? (
        <Records
          label={title}
          rows={[...lines, { period: 'Total', values: totals }]}
          keyOf={({ period }) => period}
          columns={columns}
        />
      ) : (
        <Picture {...props} lines={lines} totals={totals} />
      )}
    </Panel>
  );
}

interface TableLine {
  readonly period: string;
  readonly values: readonly number[];
}

function Legend({ series }: { readonly series: readonly ChartSeries<never>[] }) {
  return series.map((shown) => (
    <Group key={shown.name} gap={4} wrap="nowrap">
      <Box component="span" w={8} h={8} bg={colorOf(shown)} aria-hidden="true" />
      <Text size="xs">{shown.name}</Text>
    </Group>
  ));
}

const plotHeight = 190;

/** With the days below. */
const height = 216;

/** Half of a line of text, above the highest value. */
const top = 8;

interface PictureProps<Row extends PeriodRow> extends ColumnsChartProps<Row> {
  readonly lines: readonly TableLine[];
  readonly totals: readonly number[];
}

function Picture<Row extends PeriodRow>(props: PictureProps<Row>) {
  const { title, lines, series, totals, text, axisText = text } = props;
  const { ref, width } = useElementSize();
  const signed = lines.map(({ values }) =>
    values.map((value, index) => (series[index]?.isBelow === true ? -value : value)),
  );
  const layout = layOutColumns(signed, { width, height: plotHeight });
  const { room, columns, columnWidth, ticks, zero } = layout;
  const wordsOf = (values: readonly number[]) =>
    series.map(({ name }, index) => `${name} ${text(values[index] ?? 0)}`).join(', ');
  return (
    <Box ref={ref} h={height} style={{ contain: 'inline-size' }}>
      <svg
        width={width}
        height={height}
        viewBox={`0 ${-top} ${width} ${height}`}
        role="img"
        aria-label={`${title}, ${lines.length} columns: ${wordsOf(totals)}`}
        style={{ display: 'block' }}
        fontSize={11}
        fill={colors.muted}
      >
        {ticks.map(({ value, y }) => (
          <g key={value}>
            <path d={`M ${axisWidth} ${y} H ${width}`} stroke={colors.line} />
            <text x={axisWidth - 6} y={y + 4} textAnchor="end">
              {/* Values below the line are negative only for drawing. */}
              {axisText(Math.abs(value))}
            </text>
          </g>
        ))}
        {width > 0 &&
          columns.map(({ x, parts, hasLabel }, index) => {
            const { period = '', values = [] } = lines[index] ?? {};
            return (
              <g key={period} data-column={period}>
                <title>{`${dateText(period)}: ${wordsOf(values)}`}</title>
                <rect x={x} y={0} width={room} height={plotHeight} fill="transparent" />
                {parts.map((part) => (
                  <rect
                    key={part.index}
                    x={x + (room - columnWidth) / 2}
                    y={part.y}
                    width={columnWidth}
                    height={part.height}
                    fill={colorOf(series[part.index])}
                  />
                ))}
                {hasLabel && (
                  <text x={x + room / 2} y={plotHeight + 16} textAnchor="middle">
                    {dayText(period)}
                  </text>
                )}
              </g>
            );
          })}
        <path d={`M ${axisWidth} ${zero} H ${width}`} stroke={colors.muted} />
      </svg>
    </Box>
  );
}

function colorOf({ tone, isPale }: Pick<ChartSeries<never>, 'tone' | 'isPale'> = { tone: 'info' }): string {
  const { fill } = colors[tone];
  return isPale === true ? `color-mix(in srgb, ${fill} 50%, ${colors.card})` : fill;
}

/** "22 Mar" of a day of the store. */
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayText = (day: string): string => dayFormat.format(Date.parse(day));
