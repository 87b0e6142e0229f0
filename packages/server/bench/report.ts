// The table that a benchmark prints, and whether each bar was reached.

import type { RaceReport } from './consume-races.ts';
import type { LoadResult } from './load.ts';

export interface Line {
  readonly name: string;
  readonly results: readonly LoadResult[];
  /** For a reference: how many times as fast as it `of` has to be, round by round. */
  readonly bar?: number;
  readonly of?: readonly LoadResult[];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const shown = (value: number, digits = 0) => (Number.isNaN(value) ? '-' : value.toFixed(digits));

function rowOf({ name, results, bar, of }: Line): string[] {
  const ratio =
    of === undefined
      ? Number.NaN
      : median(results.map((result, round) => (of[round]?.perSecond ?? Number.NaN) / result.perSecond));
  return [
    name,
    shown(median(results.map(({ perSecond }) => perSecond))),
    shown(median(results.map(({ p50Ms }) => p50Ms)), 1),
    shown(median(results.map(({ p99Ms }) => p99Ms)), 1),
    shown(ratio, 2),
    bar === undefined ? '' : `${bar}`,
    bar === undefined ? '' : verdict(ratio >= bar),
  ];
}

export function verdict(isReached: boolean): string {
  if (!isReached) process.exitCode = 1;
  return isReached ? 'reached' : 'MISSED';
}

/** Prints the table; the process ends with 1 when a bar was missed. */
export function printReport(
  lines: readonly Line[],
  races: RaceReport,
  memory: { readonly peakMib: number | undefined; readonly maxMib: number },
): void {
  const head = ['', 'a second', 'p50 ms', 'p99 ms', 'ratio to it', 'bar', ''];
  const rows = [head, ...lines.map(rowOf)];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
  const racesRight = races.rounds - races.wrongRounds;
  process.stdout.write(
    `\n100 concurrent consumes of one purchase, exactly one success: ${racesRight} of ${races.rounds} rounds  ${verdict(races.wrongRounds === 0)}\n`,
  );
  if (memory.peakMib === undefined) return;
  process.stdout.write(
    `largest resident memory of the server: ${memory.peakMib} MiB, bar ${memory.maxMib}  ${verdict(memory.peakMib < memory.maxMib)}\n`,
  );
}
