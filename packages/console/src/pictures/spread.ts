// Places marks in a row: where they belong, but never closer than a gap and never outside.

interface Row {
  readonly left: number;
  readonly right: number;
  /** Between neighbors; smaller if there is no room for it. */
  readonly gap: number;
}

/** The positions of marks in their order: first pushed to the right, then back from the right edge. */
export function spread(ideals: readonly number[], { left, right, gap }: Row): number[] {
  const room = Math.max(0, right - left);
  const between = ideals.length < 2 ? 0 : Math.min(gap, room / (ideals.length - 1));
  const pushed: number[] = [];
  for (const ideal of ideals) {
    pushed.push(Math.max(ideal, left, (pushed.at(-1) ?? left - between) + between));
  }
  let limit = left + room;
  return pushed
    .toReversed()
    .map((x) => {
      const placed = Math.min(x, limit);
      limit = placed - between;
      return placed;
    })
    .toReversed();
}
