// A list of records: a table where there is room, and a card of three lines for each record on a narrow screen.

import { ActionIcon, Box, Card, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown } from '@tabler/icons-react';
import { type ReactNode, useCallback, useState, useSyncExternalStore } from 'react';
import { minuteMs } from '../runtime/durations.ts';
import { ClockName, type ClockOf, Instant, TimeFormatContext } from '../values/instant.tsx';
import { numberText } from '../values/quantity-text.ts';

type Value = string | number | undefined;

/** The fields of a row that a cell can show as they are. */
type FieldOf<Row> = { [Name in keyof Row]-?: Row[Name] extends Value ? Name : never }[keyof Row] & string;

interface ColumnLook {
  readonly title: string;
  readonly align?: 'right';
  /** The values are instants of this clock, which the heading names with their zone. */
  readonly clock?: ClockOf;
  /** A card shows the values without the heading: they say themselves what they are. */
  readonly isClear?: true;
  /** Cards, which have room for less, do without it. */
  readonly isWide?: true;
}

/** What a column shows: a field, a value or a cell. */
type Shown<Row> =
  | { readonly name: FieldOf<Row>; readonly value?: never; readonly cell?: never }
  | { readonly value: (row: Row) => Value; readonly name?: never; readonly cell?: never }
  | { readonly cell: (row: Row) => ReactNode; readonly name?: never; readonly value?: never };

export type Column<Row> = ColumnLook & Shown<Row>;

function valueIn<Row>({ name, value }: Shown<Row>, row: Row): Value {
  return value === undefined ? (row[name as keyof Row] as Value) : value(row);
}

function cellOf<Row>(column: Column<Row>, row: Row): ReactNode {
  if (column.cell !== undefined) return column.cell(row);
  const value = valueIn(column, row);
  return column.clock === undefined ? value : value !== undefined && <Instant ms={Number(value)} />;
}

function shownOf<Row>(columns: readonly Column<Row>[]) {
  return columns.map((column) => {
    const { title, align, clock, isClear = title === 'Time', isWide = false } = column;
    return { title, align, clock, isClear, isWide, cell: (row: Row) => cellOf(column, row) };
  });
}

export interface RecordsProps<Row> {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
}

/** Below the breakpoint at which the navigation becomes a drawer. */
const narrow = matchMedia('(max-width: 48em)');

function onWidthChange(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

/** React renders changes of a store at once, so that a narrowed window never shows a table. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(onWidthChange, () => narrow.matches);
}

export function Records<Row>(props: RecordsProps<Row>) {
  return useIsNarrow() ? <Cards {...props} /> : <Rows {...props} />;
}

/** The headings name the zone; rows within a minute need their seconds. */
function timeFormatOf<Row>({ columns, rows }: RecordsProps<Row>) {
  const clocked = columns.filter(({ clock }) => clock !== undefined);
  return { hasZone: clocked.length === 0, hasSeconds: clocked.some((column) => isDense(column, rows)) };
}

function isDense<Row>(column: Column<Row>, rows: readonly Row[]): boolean {
  if (column.clock === undefined || column.cell !== undefined) return false;
  const times = rows.map((row) => Number(valueIn(column, row))).toSorted((left, right) => left - right);
  return times.some((ms, index) => ms - (times[index - 1] ?? Number.NEGATIVE_INFINITY) < minuteMs);
}

/** Scrolls sideways where its content does not fit, and can be focused only then, so that keys can scroll it. */
function ScrollRegion({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const [canScroll, setCanScroll] = useState(false);
  const observe = useCallback((region: HTMLDivElement) => {
    const observer = new ResizeObserver(() => setCanScroll(region.scrollWidth > region.clientWidth));
    for (const element of [region, ...region.children]) observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <Box
      ref={observe}
      style={{ overflowX: 'auto' }}
      {...(canScroll && { tabIndex: 0, role: 'region', 'aria-label': label })}
    >
      {children}
    </Box>
  );
}

function Rows<Row>(props: RecordsProps<Row>) {
  const { label, rows, keyOf, columns } = props;
  const shown = shownOf(columns);
  return (
    <TimeFormatContext value={timeFormatOf(props)}>
      <ScrollRegion label={label}>
        <table aria-label={label} className="records">
          <thead>
            <tr>
              {shown.map(({ title, align, clock }) => (
                <th key={title} align={align ?? 'left'}>
                  {title}
                  {clock !== undefined && <ClockName clock={clock} />}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)} data-record>
                {shown.map(({ title, cell, align }) => (
                  <td key={title} align={align ?? 'left'}>
                    {withSeparators(cell(row))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </TimeFormatContext>
  );
}

function withSeparators(shown: ReactNode): ReactNode {
  return typeof shown === 'number' ? numberText(shown) : shown;
}

/** The lines of a card: the first and the last column, and the two halves of the others. */
function linesOf<Cell>(columns: readonly Cell[]): readonly (readonly Cell[])[] {
  const others = columns.slice(1, -1);
  const ends = [...columns.slice(0, 1), ...columns.slice(1).slice(-1)];
  const half = Math.max(1, Math.floor(others.length / 2));
  return [ends, others.slice(0, half), others.slice(half)].filter((line) => line.length > 0);
}

function Cards<Row>({ label, rows, keyOf, columns }: RecordsProps<Row>) {
  const shown = shownOf(columns).filter(({ isWide }) => !isWide);
  const clock = shown.find((column) => column.clock !== undefined)?.clock;
  const [ends = [], ...others] = linesOf(shown);
  return (
    <TimeFormatContext value={{ hasZone: clock === undefined, hasSeconds: false }}>
      <Stack gap="xxs">
        {clock !== undefined && <ClockName clock={clock} />}
        <Stack gap="xs" component="ul" aria-label={label} p={0} m={0} style={{ listStyle: 'none' }}>
          {rows.map((row) => (
            <OpenableCard key={keyOf(row)}>
              <Line cells={ends} row={row} isSpread />
              {others.map((cells) => (
                <Line key={cells[0]?.title} cells={cells} row={row} />
              ))}
            </OpenableCard>
          ))}
        </Stack>
      </Stack>
    </TimeFormatContext>
  );
}

/** Opened, it shows its lines in full. */
function OpenableCard({ children }: { readonly children: ReactNode }) {
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <Card component="li" data-record data-open={isOpen} withBorder padding="sm" radius="sm">
      <Stack gap="xxs">{children}</Stack>
      <ActionIcon
        className="card-opener"
        variant="subtle"
        color="gray"
        size={24}
        aria-label="The whole record"
        aria-expanded={isOpen}
        onClick={toggle}
      >
        <IconChevronDown size={16} />
      </ActionIcon>
    </Card>
  );
}

type ShownCell<Row> = ReturnType<typeof shownOf<Row>>[number];

interface LineProps<Row> {
  readonly cells: readonly ShownCell<Row>[];
  readonly row: Row;
  /** From side to side. */
  readonly isSpread?: boolean;
}

function Line<Row>({ cells, row, isSpread = false }: LineProps<Row>) {
  return (
    <Group gap="sm" wrap="nowrap" justify={isSpread ? 'space-between' : 'flex-start'}>
      {cells.map(({ title, cell, clock, align, isClear }) => {
        const shown = cell(row);
        if (shown === '-' || shown === false) return null;
        const isWhole = clock !== undefined || align === 'right';
        const hasTitle = (isWhole && !isClear) || typeof shown === 'number';
        return (
          <Box key={title} fz="sm" className="card-cell" style={{ flexShrink: isWhole ? 0 : 1 }}>
            {hasTitle ? (
              <Text span inherit c="dimmed">
                {title}{' '}
              </Text>
            ) : (
              <VisuallyHidden>{title} </VisuallyHidden>
            )}
            {withSeparators(shown)}
          </Box>
        );
      })}
    </Group>
  );
}
