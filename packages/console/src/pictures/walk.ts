// How the arrow keys walk the marks of a picture.

export interface Place {
  readonly row: number;
  readonly index: number;
}

/** The mark that a key leads to; undefined if there is none. In a single row, up and down walk it too. */
export function placeAfter(
  key: string,
  { row, index }: Place,
  rows: readonly (readonly { readonly x: number }[])[],
): Place | undefined {
  const marks = rows[row] ?? [];
  const isSingle = rows.length === 1;
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: index - 1,
    ArrowRight: index + 1,
    Home: 0,
    End: marks.length - 1,
    ...(isSingle && { ArrowUp: index - 1, ArrowDown: index + 1 }),
  };
  const step = steps[key];
  if (step !== undefined) {
    return marks.length === 0 ? undefined : { row, index: Math.max(0, Math.min(marks.length - 1, step)) };
  }
  const direction = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (direction === undefined) return undefined;
  let target = row + direction;
  while (rows[target]?.length === 0) target += direction;
  const found = rows[target];
  if (found === undefined) return undefined;
  const x = marks[index]?.x ?? 0;
  const distances = found.map((mark) => Math.abs(mark.x - x));
  return { row: target, index: distances.indexOf(Math.min(...distances)) };
}
