// The layout of a picture of numbers by day, week or month: a column for each, with its parts on top of each other, and
// parts that count against them below the line. In CSS pixels.

import { scaleLinear } from 'd3-scale';

export interface ColumnValues {
  readonly period: string;
  /** In the order of the parts, from the line upwards. */
  readonly above: readonly number[];
  /** From the line downwards. */
  readonly below: readonly number[];
}

export interface PlacedPart {
  readonly value: number;
  readonly y: number;
  readonly height: number;
}

interface PlacedColumn {
  readonly period: string;
  readonly x: number;
  readonly width: number;
  readonly above: readonly PlacedPart[];
  readonly below: readonly PlacedPart[];
}

export interface ColumnsLayout {
  readonly columns: readonly PlacedColumn[];
  /** The line between above and below. */
  readonly lineY: number;
  /** The largest sums of a column. */
  readonly aboveMax: number;
  readonly belowMax: number;
  /** Indexes of the columns that have a label. */
  readonly labelled: readonly number[];
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Between two columns, as a share of their room. */
const gapShare = 0.2;

/** The room of a label such as "22 Mar". */
const columnLabelWidth = 60;

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

export function layOutColumns(data: readonly ColumnValues[], { width, height }: Size): ColumnsLayout {
  const aboveMax = Math.max(0, ...data.map(({ above }) => sumOf(above)));
  const belowMax = Math.max(0, ...data.map(({ below }) => sumOf(below)));
  // Without any value, the line is at the bottom.
  const y = scaleLinear([0, aboveMax + belowMax || 1], [0, height]);
  const lineY = height - y(belowMax);
  const room = data.length === 0 ? width : width / data.length;
  const columns = data.map(({ period, above, below }, index) => ({
    period,
    x: index * room + (room * gapShare) / 2,
    width: room * (1 - gapShare),
    above: stacked(above, (sum, value) => ({ y: lineY - y(sum + value), height: y(value) })),
    below: stacked(below, (sum, value) => ({ y: lineY + y(sum), height: y(value) })),
  }));
  const step = Math.max(1, Math.ceil(columnLabelWidth / room));
  const labelled = data.map((_, index) => index).filter((index) => (data.length - 1 - index) % step === 0);
  return { columns, lineY, aboveMax, belowMax, labelled };
}

function stacked(
  values: readonly number[],
  place: (sum: number, value: number) => Omit<PlacedPart, 'value'>,
): PlacedPart[] {
  let sum = 0;
  return values.map((value) => {
    const placed = { value, ...place(sum, value) };
    sum += value;
    return placed;
  });
}
