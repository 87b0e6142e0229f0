// Numbers by day, week or month as columns. Arrow keys walk the columns, and the same is shown as a table or saved as CSV.

import { Box, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure, useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, useId, useState } from 'react';
import { colors, type ToneName } from '../parts/colors.ts';
import { type Column, csvOfRecords, Records } from '../parts/records.tsx';
import { download } from '../runtime/download.ts';
import { layOutColumns, type PlacedPart } from './columns-layout.ts';
import { placeAfter } from './walk.ts';

export interface PicturePart<Row> {
  readonly title: string;
  readonly tone: ToneName;
  /** Distinguishes parts of the same tone. */
  readonly isHatched?: boolean;
  /** Counts against the others. */
  readonly isBelow?: boolean;
  readonly value: (row: Row) => number;
}

interface PeriodRow {
  /** The first day. */
  readonly period: string;
}

interface ColumnsPictureProps<Row extends PeriodRow> {
  readonly title: string;
  readonly rows: readonly Row[];
  /** Those above the line come first. */
  readonly parts: readonly PicturePart<Row>[];
  /** Writes a value: a number or an amount of money. */
  readonly text: (value: number) => string;
}

const height = 140;
/** Above the columns: what the highest of them is. */
const captionHeight = 16;
const labelHeight = 20;
/** Half the text of a label: those at the ends stay inside. */
const labelHalf = 20;

export function ColumnsPicture<Row extends PeriodRow>({
  title,
  rows,
  parts,
  text,
}: ColumnsPictureProps<Row>) {
  const [isTable, { toggle }] = useDisclosure();
  const columns: readonly Column<Row>[] = [
    { title: 'From', name: 'period', value: ({ period }) => period },
    ...parts.map((part) => ({
      title: part.title,
      name: part.title,
      align: 'right' as const,
      value: part.value,
      cell: (row: Row) => text(part.value(row)),
    })),
  ];
  const save = (): void => download(`${title.toLowerCase()}.csv`, 'text/csv', csvOfRecords(columns, rows));
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Legend parts={parts} />
        <Group gap="xs">
          <Button
            variant="default"
            aria-pressed={isTable}
            onClick={toggle}
            aria-label={`Show as table: ${title}`}
          >
            Show as table
          </Button>
          <Button variant="default" onClick={save} aria-label={`Save as CSV: ${title}`}>
            Save as CSV
          </Button>
        </Group>
      </Group>
      {isTable ? (
        <Records label={title} rows={rows} keyOf={({ period }) => period} columns={columns} />
      ) : (
        <Picture title={title} rows={rows} parts={parts} text={text} />
      )}
    </Stack>
  );
}

function Picture<Row extends PeriodRow>({ title, rows, parts, text }: ColumnsPictureProps<Row>) {
  const { ref, width } = useElementSize();
  const [index, setIndex] = useState<number>();
  const above = parts.filter(({ isBelow }) => isBelow !== true);
  const below = parts.filter(({ isBelow }) => isBelow === true);
  const values = rows.map((row) => ({
    period: row.period,
    above: above.map(({ value }) => value(row)),
    below: below.map(({ value }) => value(row)),
  }));
  const layout = layOutColumns(values, { width, height });
  const textOf = (row: Row): string =>
    `${row.period}: ${parts.map((part) => `${part.title} ${text(part.value(row))}`).join(', ')}`;
  const current = index === undefined ? undefined : rows[index];
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = placeAfter(event.key, { row: 0, index: index ?? rows.length }, [layout.columns]);
    if (next === undefined) return;
    event.preventDefault();
    setIndex(next.index);
  };
  const totals = parts.map(
    (part) => `${part.title} ${text(rows.reduce((sum, row) => sum + part.value(row), 0))}`,
  );
  return (
    <div>
      <Box
        ref={ref}
        role="group"
        aria-label={`Columns of ${title}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        // Its picture must not keep the box from becoming narrower.
        style={{ contain: 'inline-size' }}
      >
        {width > 0 && (
          <svg
            width={width}
            height={captionHeight + height + labelHeight}
            viewBox={`0 ${-captionHeight} ${width} ${captionHeight + height + labelHeight}`}
            role="img"
            aria-label={`${title}, ${rows.length} columns: ${totals.join(', ')}`}
            style={{ display: 'block' }}
          >
            {layout.columns.map((column, position) => (
              <g key={column.period} onPointerEnter={() => setIndex(position)}>
                <rect x={column.x} y={0} width={column.width} height={height} fill="transparent" />
                <Parts parts={above} placed={column.above} x={column.x} width={column.width} />
                <Parts parts={below} placed={column.below} x={column.x} width={column.width} />
              </g>
            ))}
            <path d={`M 0 ${layout.lineY} H ${width}`} stroke={colors.muted} />
            <text x={0} y={-6} fontSize={11} fill={colors.muted}>
              {layout.aboveMax > 0
                ? `at most ${text(layout.aboveMax)}`
                : layout.belowMax === 0 && 'nothing in this period'}
            </text>
            {layout.labelled.map((position) => (
              <PeriodLabel key={position} column={layout.columns[position]} width={width} />
            ))}
            {index !== undefined && <Focus column={layout.columns[index]} />}
          </svg>
        )}
      </Box>
      <Text size="sm" role="status" mih="1.6em">
        {current === undefined ? 'Point at a column, or walk them with the arrow keys.' : textOf(current)}
      </Text>
    </div>
  );
}

interface PlacedAt {
  readonly period: string;
  readonly x: number;
  readonly width: number;
}

function PeriodLabel({ column, width }: { readonly column: PlacedAt | undefined; readonly width: number }) {
  if (column === undefined) return null;
  const x = Math.max(labelHalf, Math.min(width - labelHalf, column.x + column.width / 2));
  return (
    <text x={x} y={height + 14} textAnchor="middle" fontSize={11} fill={colors.ink}>
      {dayText(column.period)}
    </text>
  );
}

function Focus({ column }: { readonly column: PlacedAt | undefined }) {
  if (column === undefined) return null;
  return (
    <rect
      x={Math.max(1, column.x - 1)}
      y={1}
      width={column.width + 2}
      height={height - 2}
      rx={2}
      fill="none"
      stroke={colors.ink}
      strokeWidth={1.5}
    />
  );
}

/** "22 Mar" of a day of the store. */
function dayText(day: string): string {
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    Date.parse(day),
  );
}

interface PartsProps {
  readonly parts: readonly Pick<PicturePart<never>, 'title' | 'tone' | 'isHatched'>[];
  readonly placed: readonly PlacedPart[];
  readonly x: number;
  readonly width: number;
}

function Parts({ parts, placed, x, width }: PartsProps) {
  return placed.map(({ y, height: own }, index) => {
    const part = parts[index];
    if (part === undefined || own === 0) return null;
    return <Part key={part.title} part={part} x={x} y={y} width={width} height={own} />;
  });
}

interface PartProps {
  readonly part: Pick<PicturePart<never>, 'tone' | 'isHatched'>;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A hatched part keeps its shape where colors cannot be told apart. */
function Part({ part: { tone, isHatched = false }, ...place }: PartProps) {
  const pattern = useId();
  const { fill } = colors[tone];
  if (!isHatched) return <rect {...place} fill={fill} />;
  return (
    <>
      <pattern id={pattern} width={5} height={5} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width={5} height={5} fill={colors.card} />
        <path d="M 1 0 V 5" stroke={fill} strokeWidth={2.5} />
      </pattern>
      <rect {...place} fill={`url(#${pattern})`} stroke={fill} strokeWidth={0.5} />
    </>
  );
}

function Legend({ parts }: Pick<PartsProps, 'parts'>) {
  return (
    <Group gap="md">
      {parts.map((part) => (
        <Group key={part.title} gap="xs" wrap="nowrap">
          <svg width={14} height={14} aria-hidden="true">
            <Part part={part} x={1} y={1} width={12} height={12} />
          </svg>
          <Text size="xs">{part.title}</Text>
        </Group>
      ))}
    </Group>
  );
}
