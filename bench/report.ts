// Prints the results of benchmarks: a line for each measure, with its required minimum or maximum.

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

export interface Target {
  readonly least?: number;
  readonly most?: number;
}

/** Prints a measure; the process exits with 1 if it misses its required minimum or maximum. */
export function report(what: string, value: number, { least = 0, most = Infinity }: Target = {}): void {
  const isReached = value >= least && value <= most;
  if (!isReached) process.exitCode = 1;
  const target = most < Infinity ? `at most ${most}` : `at least ${least}`;
  const shown = value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
  const judged = most < Infinity || least > 0 ? `  (${target}: ${isReached ? 'reached' : 'MISSED'})` : '';
  process.stdout.write(`${what.padEnd(64)}${shown.padStart(10)}${judged}\n`);
}
