// The log of an app's last calls, in the sandbox only: written behind the calls and many at a time, bounded in
// memory and in the database.

import { loggedRequestsMax } from '@opentill/contract/logged-request.ts';
import { WriteBehind } from '../../runtime/write-behind.ts';
import { agedAppsScan } from '../apps/app-scan.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { NoRow, statement, unchecked } from '../connection/statement.ts';
import { requestLog } from '../tables/sandbox.ts';
import {
  arrayParameters,
  columnArrays,
  columnNames,
  type ValuesOf,
  valueList,
  withoutColumns,
} from '../tables/table.ts';

export type LoggedCall = ValuesOf<typeof requestLog>;

/** A call that is to be logged, with the app that made it: its name, or the number in its token. */
type UnwrittenCall = Omit<LoggedCall, 'callOrder'> &
  ({ readonly packageName: string } | { readonly appNumber: number });

// Served by the primary key, backwards. Calls over the limit that are not trimmed yet are not listed.
const selectCalls = statement({
  name: 'select_logged_requests',
  text: `select ${valueList(requestLog, 'kept')}
    from (
      select * from request_log where package_name = $1
      order by called_at desc, call_order desc, request_id desc limit $2
    ) as kept
    where (called_at, call_order, request_id) < ($3, $4, $5)
    order by called_at desc, call_order desc, request_id desc limit $6`,
  row: unchecked<LoggedCall>(),
});

const loggedValues = withoutColumns(requestLog, 'hints');
const valueNames = columnNames(loggedValues);

// Lists of hints differ in length, which unnest does not allow: each is passed as JSON.
const insertCalls = statement({
  name: 'insert_logged_requests',
  text: `insert into request_log (package_name, hints, ${valueNames})
    select package_name, array(select jsonb_array_elements_text(hints)), ${valueNames}
    from unnest($1::text[], $2::jsonb[], ${arrayParameters(loggedValues, 3)})
      as r (package_name, hints, ${valueNames})`,
  row: NoRow,
});

// A row that is held is about to be removed by somebody else, who may go through them in another order: both pass it
// over, and wait for nobody.

// Served by the primary key: the oldest first, a bounded number of them.
const trimCalls = statement({
  name: 'trim_logged_requests',
  text: `delete from request_log where package_name = $1 and ctid = any(array(
    select ctid from request_log
    where package_name = $1 and (called_at, call_order, request_id) <= (
      select called_at, call_order, request_id from request_log where package_name = $1
      order by called_at desc, call_order desc, request_id desc offset $2 limit 1)
    order by called_at, call_order, request_id limit $3 for update skip locked))`,
  row: NoRow,
});

// Served by the primary key.
const deleteAgedCalls = statement({
  name: 'delete_aged_requests',
  text: `delete from request_log where package_name = $1 and ctid = any(array(
    select ctid from request_log where package_name = $1 and called_at < $2 for update skip locked))`,
  row: NoRow,
});

/** Calls that wait to be written, each up to 5 KB: 10 MB. */
const waitingMax = 2_000;

/** 500 calls of a usual size are half a megabyte, which PostgreSQL takes in a few ms. */
const batchMax = 500;

/** A call is in the log so long after its answer, and the time that one write takes, in ms. */
const gatherMs = 200;

/** An app's log is trimmed when this server has added so many calls to it: so many stand over the limit. */
const trimEvery = 100;

/** Of one trim: more than are added between two of them. */
const trimMax = 1_000;

/** Apps whose additions are counted; beyond them all are trimmed at their next call. */
const countedAppsMax = 10_000;

interface RequestLogParts {
  readonly database: Database;
  readonly findPackageName: (appNumber: number) => Promise<string | undefined>;
  readonly onDropped: (count: number, error?: unknown) => void;
}

export class RequestLog implements AsyncDisposable {
  readonly #parts: RequestLogParts;
  readonly #calls: WriteBehind<UnwrittenCall & { readonly callOrder: number }>;
  readonly #addedTo = new Map<string, number>();
  #callOrder = 0;

  constructor(parts: RequestLogParts) {
    this.#parts = parts;
    const write = (calls: readonly (UnwrittenCall & { callOrder: number })[]) => this.#write(calls);
    this.#calls = new WriteBehind({ waitingMax, batchMax, gatherMs, write, onDropped: parts.onDropped });
  }

  add(call: UnwrittenCall): void {
    this.#callOrder += 1;
    this.#calls.add({ ...call, callOrder: this.#callOrder });
  }

  /** Resolves when what this process has added so far stands in the database. */
  flush(): Promise<void> {
    return this.#calls.flush();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#calls[Symbol.asyncDispose]();
  }

  async #write(calls: readonly (UnwrittenCall & { readonly callOrder: number })[]): Promise<void> {
    const { database, findPackageName } = this.#parts;
    const named = await Promise.all(
      calls.map(async (call) => {
        const packageName = 'packageName' in call ? call.packageName : await findPackageName(call.appNumber);
        return packageName === undefined ? [] : [{ ...call, packageName }];
      }),
    );
    const known = named.flat();
    if (known.length === 0) return;
    await database.rows(insertCalls, [
      known.map(({ packageName }) => packageName),
      known.map(({ hints }) => JSON.stringify(hints)),
      ...columnArrays(loggedValues, known),
    ]);
    for (const [packageName, { length }] of Map.groupBy(known, (call) => call.packageName)) {
      await this.#trim(packageName, length);
    }
  }

  async #trim(packageName: string, added: number): Promise<void> {
    if (this.#addedTo.size >= countedAppsMax) this.#addedTo.clear();
    // What stands in the log of an app that this process has not met is not known.
    const count = (this.#addedTo.get(packageName) ?? trimEvery) + added;
    this.#addedTo.set(packageName, count >= trimEvery ? 0 : count);
    if (count < trimEvery) return;
    await this.#parts.database.rows(trimCalls, [packageName, loggedRequestsMax, trimMax]);
  }
}

/** The position of a call in the log. */
export type LogPlace = Pick<LoggedCall, 'calledAt' | 'callOrder' | 'requestId'>;

const beforeAll: LogPlace = { calledAt: Number.MAX_SAFE_INTEGER, callOrder: 0, requestId: '' };

/** The calls of an app that precede `before`, newest first. */
export function listCalls(
  queryable: Queryable,
  packageName: string,
  { before = beforeAll, limit }: { readonly before: LogPlace | undefined; readonly limit: number },
): Promise<LoggedCall[]> {
  const { calledAt, callOrder, requestId } = before;
  return queryable.rows(selectCalls, [packageName, loggedRequestsMax, calledAt, callOrder, requestId, limit]);
}

/** Apps that have logged calls from before a real instant. */
export const listAppsWithAgedRequests = agedAppsScan({
  name: 'select_apps_with_aged_requests',
  table: 'request_log',
  order: 'called_at',
  age: 'called_at',
});

export async function removeAgedRequests(
  queryable: Queryable,
  packageName: string,
  before: number,
): Promise<void> {
  await queryable.rows(deleteAgedCalls, [packageName, before]);
}
