// The log of an app's latest calls, in the sandbox only: written after the responses and in batches, with limits in
// memory and in the database.

import { loggedRequestsMax } from '@opentill/contract/logged-request.ts';
import { patternText } from '@opentill/contract/patterns.ts';
import Type from 'typebox';
import { pause } from '../../runtime/pause.ts';
import type { Database } from '../connection/database.ts';
import { pagedList } from '../statements/paged-list.ts';
import { NoRow, statement, unchecked } from '../statements/statement.ts';
import { arrayParameters, columnArrays, columnNames, type RowOf, selectList } from '../statements/table.ts';
import { requestLog } from '../tables/sandbox.ts';

export type LoggedCall = RowOf<typeof requestLog>;

/** A call to be logged. */
type NewCall = Omit<LoggedCall, 'callOrder'>;

// Checked by the primary key.
const insertCalls = statement({
  name: 'insert_logged_requests',
  text: `insert into request_log (package_name, ${columnNames(requestLog)})
    select $1, r.* from unnest(${arrayParameters(requestLog, 2)}) as r`,
  row: NoRow,
});

// Skip locked rows: two servers trimming in different orders would deadlock. Served by the primary key.
const trimCalls = statement({
  name: 'trim_logged_requests',
  text: `delete from request_log where package_name = $1 and ctid = any(array(
    select ctid from request_log
    where package_name = $1 and (called_at, call_order, request_id) <= (
      select called_at, call_order, request_id from request_log where package_name = $1
      order by called_at desc, call_order desc, request_id desc offset $2 limit 1)
    for update skip locked))`,
  row: NoRow,
});

/** Calls that wait to be written, each up to 5 KB: 10 MB. */
const waitingMax = 2_000;

/** 500 calls of a usual size are half a megabyte, which PostgreSQL writes in a few ms. */
const batchMax = 500;

/** A call waits this long for others, in ms, before it is written. */
const gatherMs = 100;

/** Called after calls were dropped; `error` is that of a failed write, and undefined if they did not fit in memory. */
type OnDropped = (count: number, error: unknown) => void;

export class RequestLog implements AsyncDisposable {
  readonly #database: Database;
  readonly #onDropped: OnDropped;
  #waiting: Promise<LoggedCall | undefined>[] = [];
  #writing: Promise<void> | undefined;
  #callOrder = 0;
  /** Calls dropped since the last report, and why. */
  #dropped: { readonly count: number; readonly error: unknown } = { count: 0, error: undefined };

  constructor(database: Database, onDropped: OnDropped) {
    this.#database = database;
    this.#onDropped = onDropped;
  }

  /** Adds a call, or nothing if it resolves to undefined; a call that cannot be written is counted and not retried. */
  add(call: Promise<NewCall | undefined>): void {
    this.#callOrder += 1;
    const callOrder = this.#callOrder;
    const ordered = call.then(
      (values) => values && { ...values, callOrder },
      (error: unknown) => this.#drop(1, error),
    );
    if (this.#waiting.length >= waitingMax) this.#drop(1, undefined);
    else this.#waiting.push(ordered);
    this.#writing ??= this.#writeWaiting().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when the calls that this process has added so far are written or dropped. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.flush();
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      await pause(gatherMs);
      const calls = (await Promise.all(this.#waiting.splice(0, batchMax))).filter(
        (call) => call !== undefined,
      );
      for (const [packageName, ofApp] of Map.groupBy(calls, (call) => call.packageName)) {
        await this.#write(packageName, ofApp).catch((error: unknown) => this.#drop(ofApp.length, error));
      }
      const { count, error } = this.#dropped;
      this.#dropped = { count: 0, error: undefined };
      if (count > 0) this.#onDropped(count, error);
    }
  }

  async #write(packageName: string, calls: readonly LoggedCall[]): Promise<void> {
    await this.#database.rows(insertCalls, [packageName, ...columnArrays(requestLog, calls)]);
    await this.#database.rows(trimCalls, [packageName, loggedRequestsMax]);
  }

  #drop(count: number, error: unknown): undefined {
    this.#dropped = { count: this.#dropped.count + count, error: error ?? this.#dropped.error };
  }
}

export const LogPosition = Type.Object({
  calledAt: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  callOrder: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  requestId: patternText('^[\\w-]*$', 'characters of A-Z a-z 0-9 _ -', { maxLength: 100 }),
});

/** The calls of an app, newest first. Served by the primary key, backwards. */
export const listCalls = pagedList({
  name: 'logged_requests',
  row: unchecked<LoggedCall>(),
  position: LogPosition,
  order: { calledAt: 'called_at', callOrder: 'call_order', requestId: 'request_id' },
  direction: 'desc',
  filters: {
    packageName: 'package_name = $packageName',
    operationId: 'operation_id = $operationId',
    status: 'http_status = $status',
  },
  text: ({ where, page }) =>
    `select ${selectList(requestLog, 'r')} from request_log r where ${where} ${page}`,
});
