// A list of records as a table. On a narrow screen its style makes each row a card: the first and the last column, and the
// others below them.

import { Box } from '@mantine/core';
import { type ReactNode, useCallback, useState } from 'react';
import { minuteMs } from '../runtime/durations.ts';
import { ClockName, type ClockOf, Instant, TimeFormatContext } from '../values/instant.tsx';
import { numberText } from '../values/quantity-text.ts';

export interface Column<Row> {
  readonly title: string;
  readonly align?: 'right';
  /** The values are instants of this clock, which the heading names with their zone. */
  readonly clock?: ClockOf;
  /** The instant, in ms, of a column that shows nothing else. */
  readonly time?: (row: Row) => number;
  readonly cell?: (row: Row) => ReactNode;
  /** A card shows the values without the heading: they say themselves what they are. */
  readonly isClear?: true;
}

export interface RecordsProps<Row> {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
}

/** The headings name the zone; rows within a minute need their seconds. */
function timeFormatOf<Row>({ columns, rows }: RecordsProps<Row>) {
  const isDense = ({ time }: Column<Row>): boolean => {
    const times = time === undefined ? [] : rows.map(time).toSorted((left, right) => left - right);
    return times.some((ms, index) => ms - (times[index - 1] ?? Number.NEGATIVE_INFINITY) < minuteMs);
  };
  return { hasZone: columns.every(({ clock }) => clock === undefined), hasSeconds: columns.some(isDense) };
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

export function Records<Row>(props: RecordsProps<Row>) {
  const { label, rows, keyOf, columns } = props;
  return (
    <TimeFormatContext value={timeFormatOf(props)}>
      <ScrollRegion label={label}>
        <table aria-label={label} className="records">
          <thead>
            <tr>
              {columns.map(({ title, align, clock }) => (
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
                {columns.map((column) => (
                  <Cell key={column.title} column={column} row={row} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </TimeFormatContext>
  );
}

interface CellProps<Row> {
  readonly column: Column<Row>;
  readonly row: Row;
}

function Cell<Row>({ column, row }: CellProps<Row>) {
  const { title, align, clock, time, cell, isClear = title === 'Time' } = column;
  const shown = time === undefined ? cell?.(row) : <Instant ms={time(row)} />;
  const isNumber = typeof shown === 'number';
  const needsTitle = isNumber || (!isClear && (clock !== undefined || align !== undefined));
  return (
    <td align={align ?? 'left'} data-title={needsTitle ? title : undefined} data-none={!isNumber && !shown}>
      {isNumber ? numberText(shown) : shown}
    </td>
  );
}
