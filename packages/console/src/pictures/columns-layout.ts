// The layout of stacked columns, in CSS pixels. It knows nothing of how the columns are drawn.

import { scaleLinear } from 'd3-scale';

/** The room of the values at the axis, the same for all charts, so that the days of two of them agree. */
export const axisWidth = 56;

/** The room of a day such as "22 Mar", with the space after it. */
const labelWidth = 52;
const labelGap = 14;

const ticksWanted = 4;

/** The part of its room that a column leaves empty. */
const gapShare = 0.2;

interface PlacedPart {
  /** The position of its series. */
  readonly index: number;
  readonly y: number;
  readonly height: number;
}

interface PlacedColumn {
  /** The left side of its room. */
  readonly x: number;
  /** Without those of no height. */
  readonly parts: readonly PlacedPart[];
  /** Every few columns have one, as far as it fits. */
  readonly hasLabel: boolean;
}

interface ColumnsLayout {
  /** The room of a column, in which it is in the middle. */
  readonly room: number;
  readonly columnWidth: number;
  readonly columns: readonly PlacedColumn[];
  readonly ticks: readonly { readonly value: number; readonly y: number }[];
  readonly zero: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The values of each column; negative ones are stacked below the line. */
export function layOutColumns(rows: readonly (readonly number[])[], { width, height }: Size): ColumnsLayout {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const above = Math.max(0, ...rows.map((values) => sum(values.filter((value) => value > 0))));
  const below = Math.min(0, ...rows.map((values) => sum(values.filter((value) => value < 0))));
  const y = scaleLinear([below, above], [height, 0]).nice(ticksWanted);
  const room = Math.max(0, width - axisWidth) / rows.length;
  const labelEvery = Math.max(1, Math.ceil(labelWidth / room));
  return {
    room,
    columnWidth: room * (1 - gapShare),
    columns: rows.map((values, index) => {
      const x = axisWidth + index * room;
      const fits = x + (room + labelWidth - labelGap) / 2 <= width;
      return { x, parts: partsOf(values, y), hasLabel: index % labelEvery === 0 && fits };
    }),
    // Amounts and numbers are whole.
    ticks: y
      .ticks(ticksWanted)
      .filter(Number.isInteger)
      .map((value) => ({ value, y: y(value) })),
    zero: y(0),
  };
}

function partsOf(values: readonly number[], y: (value: number) => number): PlacedPart[] {
  let [above, below] = [0, 0];
  return values.flatMap((value, index) => {
    if (value === 0) return [];
    const from = value > 0 ? above : below;
    const to = from + value;
    if (value > 0) above = to;
    else below = to;
    return [{ index, y: Math.min(y(from), y(to)), height: Math.abs(y(to) - y(from)) }];
  });
}
