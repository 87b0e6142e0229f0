// How old is too old (docs/decisions/retention.md). What is removed is not known here.

const dayMs = 24 * 60 * 60 * 1000;

/** The day of an instant, in UTC, counted from 1970. */
export function dayOf(instant: number): number {
  return Math.floor(instant / dayMs);
}

/** What was written before this instant may be removed, where instants are known. */
export function removableBefore(now: number, retentionDays: number): number {
  return now - retentionDays * dayMs;
}

/** What was written on this day or before may be removed: its last moment lies as far back. */
export function removableUntilDay(now: number, retentionDays: number): number {
  return dayOf(removableBefore(now, retentionDays)) - 1;
}
