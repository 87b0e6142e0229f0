// opentill rehearse: what a store will charge, read from its database or from an export.

import { addAbortSignal } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { Temporal } from 'temporal-polyfill';
import { type Environ, readChargeSettings, readStoreConfig } from '../../config/config.ts';
import { csvRow, csvText } from '../../domain/csv-writing.ts';
import type { RehearsedRow } from '../../domain/subscriptions/rehearsal-report.ts';
import {
  type RehearsedStoreReport,
  recordRehearsal,
  rehearseStore,
} from '../../operations/transfer/rehearse-store.ts';
import {
  type RehearsedStore,
  storeOfDatabase,
  storeOfExport,
} from '../../operations/transfer/rehearsed-stores.ts';
import { systemClock } from '../../runtime/clock.ts';
import { StartProblem } from '../../runtime/start-problem.ts';
import { storeConnectionOf } from './store-access.ts';
import { commandAuthor, counted, openInput, smallHeapFlag } from './transfer.ts';

interface RehearsalOptions {
  /** An export; undefined: the database of the settings. */
  readonly file: string | undefined;
  /** How long from now, as in P1M. */
  readonly until: string;
  /** The share of attempts that is declined, 0 to 1. */
  readonly declined: number;
  readonly seed: number;
  readonly prices: Readonly<Record<string, number>>;
  readonly signal: AbortSignal;
  /** Called with the subscriptions of a database, or the bytes of an export, that were read. */
  readonly onProgress: ((done: number, total: number) => void) | undefined;
}

/** Nobody plans further ahead, and weekly charges of a store would take minutes. */
const yearsMax = 5;

/** @throws StartProblem for an invalid duration, export or setting */
export async function runRehearsal(env: Environ, options: RehearsalOptions): Promise<RehearsedStoreReport> {
  setFlagsFromString(smallHeapFlag);
  const { file, declined, seed, prices, signal, onProgress } = options;
  const { timeZone, chargeRetries: retries } = readChargeSettings(env);
  const from = systemClock.now();
  const until = endOf(from, timeZone, options.until);
  const assumptions = { from, until, timeZone, retries, declined, seed, prices };
  await using owner = new AsyncDisposableStack();
  if (file !== undefined) {
    const { stream, bytes } = await openInput(file, owner);
    const input = counted(addAbortSignal(signal, stream), (done) => onProgress?.(done, bytes));
    return await rehearseStore(storeOfExport(input), assumptions);
  }
  const connection = await storeConnectionOf(readStoreConfig(env), { owner, mayMake: false });
  const report = await rehearseStore(
    untilAborted(storeOfDatabase(connection, onProgress), signal),
    assumptions,
  );
  await recordRehearsal(connection, commandAuthor(), filtersOf(options));
  return report;
}

function untilAborted(store: RehearsedStore, signal: AbortSignal): RehearsedStore {
  return {
    ...store,
    async *read() {
      for await (const batch of store.read()) {
        signal.throwIfAborted();
        yield batch;
      }
    },
  };
}

function endOf(from: number, timeZone: string, duration: string): number {
  const start = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone);
  try {
    const end = start.add(duration);
    const isValid = Temporal.ZonedDateTime.compare(end, start) > 0;
    if (isValid && Temporal.ZonedDateTime.compare(end, start.add({ years: yearsMax })) <= 0)
      return end.epochMilliseconds;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new StartProblem(
    `--until: expected a duration such as P1M, at most P${yearsMax}Y, got "${duration}".`,
  );
}

/** As in the URL of a file. */
function filtersOf({ until, declined, seed, prices }: RehearsalOptions): string {
  const filters = new URLSearchParams({ until });
  if (declined > 0) filters.set('decline', `${declined}, seed ${seed}`);
  for (const [product, price] of Object.entries(prices)) filters.append('price', `${product}=${price}`);
  return filters.toString();
}

const csvColumns = [
  ...['date', 'packageName', 'productId', 'kind', 'price', 'currency', 'charged', 'amount', 'declined'],
  ...['recovered', 'recoveredAmount', 'lost', 'lostAmount', 'open', 'openAmount', 'ended'],
  ...['awaited', 'awaitedAmount'],
] as const satisfies readonly (keyof RehearsedRow)[];

/** The rows as CSV, with prices as the store has them. */
export function* rehearsalCsv(rows: readonly RehearsedRow[]): Generator<string> {
  yield csvRow(csvColumns);
  for (const row of rows) {
    const cells = csvColumns.map((column) => row[column]);
    yield csvRow(
      cells.map((cell, index) => (typeof cell === 'number' || index === 0 ? String(cell) : csvText(cell))),
    );
  }
}
