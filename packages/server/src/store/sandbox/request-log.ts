// The log of an app's latest calls, in the sandbox only: written after the responses and in batches, with limits in
// memory and in the database.

import { loggedRequestsMax, loggedUnverifiedMax } from '@opentill/contract/logged-request.ts';
import { getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import Type from 'typebox';
import { shareOf } from '../../runtime/process-share.ts';
import { WriteBehind } from '../../runtime/write-behind.ts';
import { agedAppsScan } from '../apps/app-scan.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { pagedList } from '../connection/paged-list.ts';
import { NoRow, statement, unchecked } from '../connection/statement.ts';
import { msSinceErasure } from '../purchases/buyer-erasure.ts';
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

/** A call to be logged, with the package name of its app or the app number of its token. */
type UnwrittenCall = Omit<LoggedCall, 'callOrder'> &
  ({ readonly packageName: string } | { readonly appNumber: number });

/**
 * A token request without the right secret, which anyone can send for any app: a fault applies only after the secret
 * was checked, so a failure without one is such a request.
 */
function isUnverified({ operationId, httpStatus, faultPosition }: UnwrittenCall): boolean {
  return operationId === getAccessToken.operationId && httpStatus !== 200 && faultPosition === null;
}

/** The same in SQL. */
const unverified = `(operation_id = '${getAccessToken.operationId}' and http_status is distinct from 200
  and fault_position is null)`;

const newestFirst = 'order by called_at desc, call_order desc, request_id desc';

const loggedValues = withoutColumns(requestLog, 'hints');
const valueNames = columnNames(loggedValues);

// Lists of hints differ in length, which unnest does not allow, so each is passed as JSON. Checked by the primary key.
const insertCalls = statement({
  name: 'insert_logged_requests',
  text: `insert into request_log (package_name, hints, ${valueNames})
    select $1::text, array(select jsonb_array_elements_text(hints)), ${valueNames}
    from unnest($2::jsonb[], ${arrayParameters(loggedValues, 3)}) as r (hints, ${valueNames})`,
  row: NoRow,
});

// Rows that another server is removing are skipped: both may go through them in different orders.

// Served by the primary key: the oldest first, a limited number of them.
const trimCalls = statement({
  name: 'trim_logged_requests',
  text: `delete from request_log where package_name = $1 and ctid = any(array(
    select ctid from request_log
    where package_name = $1 and ${unverified} = $2 and (called_at, call_order, request_id) <= (
      select called_at, call_order, request_id from request_log
      where package_name = $1 and ${unverified} = $2 ${newestFirst} offset $3 limit 1)
    order by called_at, call_order, request_id limit $4 for update skip locked))`,
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

/** The same for calls without the right secret: 1 MB. */
const unverifiedWaitingMax = 200;

/** 500 calls of a usual size are half a megabyte, which PostgreSQL writes in a few ms. */
const batchMax = 500;

/** A call waits this long for others, in ms, before it is written. */
const gatherMs = 200;

/** An app's log is trimmed after this server has added this many calls to it, so this many may be over the limit. */
const trimEvery = 100;

/** Calls that one trim removes: more than are added between two of them. */
const trimMax = 1_000;

/** Apps whose additions are counted; with more, all are trimmed at their next call. */
const countedAppsMax = 10_000;

interface RequestLogParts {
  readonly database: Database;
  readonly findPackageName: (appNumber: number) => Promise<string | undefined>;
  readonly onDropped: (count: number, error?: unknown) => void;
}

interface Ring {
  /** Calls kept for each app. */
  readonly keptMax: number;
  readonly isUnverified: boolean;
  /** Calls that this process has added for each app since it last trimmed the app's log. */
  readonly addedTo: Map<string, number>;
}

/** `startedAt`: the instant of performance.now() at which its request arrived. */
type OrderedCall = UnwrittenCall & { readonly callOrder: number; readonly startedAt: number };

/**
 * A call that arrived this long after an erasure began, in ms, cannot have read what it erased: the transaction and its
 * commit end before.
 */
const erasureMaxMs = 5_000;

export class RequestLog implements AsyncDisposable {
  readonly #parts: RequestLogParts;
  readonly #calls: WriteBehind<OrderedCall>;
  readonly #unverified: WriteBehind<OrderedCall>;
  #callOrder = 0;

  constructor(parts: RequestLogParts) {
    this.#parts = parts;
    const ringOf = (limits: { readonly waitingMax: number }, ring: Omit<Ring, 'addedTo'>) => {
      const counted = { ...ring, addedTo: new Map<string, number>() };
      const write = (calls: readonly OrderedCall[]) => this.#write(calls, counted);
      return new WriteBehind({ ...limits, batchMax, gatherMs, write, onDropped: parts.onDropped });
    };
    this.#calls = ringOf(
      { waitingMax: shareOf(waitingMax) },
      { keptMax: loggedRequestsMax, isUnverified: false },
    );
    this.#unverified = ringOf(
      { waitingMax: shareOf(unverifiedWaitingMax) },
      { keptMax: loggedUnverifiedMax, isUnverified: true },
    );
  }

  add(call: UnwrittenCall): void {
    this.#callOrder += 1;
    const log = isUnverified(call) ? this.#unverified : this.#calls;
    log.add({ ...call, callOrder: this.#callOrder, startedAt: performance.now() - call.latencyMs });
  }

  /** Resolves when the calls that this process has added so far are in the database. */
  async flush(): Promise<void> {
    await Promise.all([this.#calls.flush(), this.#unverified.flush()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.flush();
  }

  async #write(calls: readonly OrderedCall[], ring: Ring): Promise<void> {
    const { findPackageName } = this.#parts;
    const named = await Promise.all(
      calls.map(async (call) => {
        const packageName = 'packageName' in call ? call.packageName : await findPackageName(call.appNumber);
        return packageName === undefined ? [] : [{ ...call, packageName }];
      }),
    );
    const byApp = Map.groupBy(named.flat(), ({ packageName }) => packageName);
    for (const [packageName, ofApp] of byApp) {
      await this.#insert(packageName, ofApp.slice(-ring.keptMax));
      await this.#trim(packageName, ofApp.length, ring);
    }
  }

  /** A response that may contain what was erased since is not written: the erasure did not find it in the log. */
  #insert(packageName: string, calls: readonly OrderedCall[]): Promise<void> {
    const scope = { packageName, record: 'request log' };
    return this.#parts.database.transaction(scope, async (transaction) => {
      const erasedMs = await msSinceErasure(transaction, packageName);
      const now = performance.now();
      const mayBeErased = ({ startedAt }: OrderedCall) => now - startedAt + erasureMaxMs >= erasedMs;
      const written = calls.map((call) => (mayBeErased(call) ? { ...call, answer: '' } : call));
      await transaction.rows(insertCalls, [
        packageName,
        written.map(({ hints }) => JSON.stringify(hints)),
        ...columnArrays(loggedValues, written),
      ]);
    });
  }

  async #trim(packageName: string, added: number, { keptMax, isUnverified, addedTo }: Ring): Promise<void> {
    if (addedTo.size >= countedAppsMax) addedTo.clear();
    // The log of an app that this process has not counted may have any length.
    const count = (addedTo.get(packageName) ?? trimEvery) + added;
    addedTo.set(packageName, count >= trimEvery ? 0 : count);
    if (count < trimEvery) return;
    await this.#parts.database.rows(trimCalls, [packageName, isUnverified, keptMax, trimMax]);
  }
}

export const LogPosition = Type.Object({
  calledAt: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  callOrder: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  requestId: Type.String({ maxLength: 100, pattern: '^[\\w-]*$' }),
});

const ofRing = (condition: string, limit: number) =>
  `(select * from request_log where package_name = $packageName and ${condition} ${newestFirst} limit ${limit})`;

/**
 * The calls of an app, newest first. Calls over the limits that are not trimmed yet are not listed. Served by the primary
 * key, backwards.
 */
export const listCalls = pagedList({
  name: 'logged_requests',
  row: unchecked<LoggedCall>(),
  position: LogPosition,
  order: { calledAt: 'called_at', callOrder: 'call_order', requestId: 'request_id' },
  direction: 'desc',
  filters: {
    operationId: 'operation_id = $operationId',
    status: 'http_status = $status',
    hint: '$hint = any(hints)',
  },
  text: ({ where, page }) => `select ${valueList(requestLog, 'kept')}
    from (${ofRing(`not ${unverified}`, loggedRequestsMax)} union all ${ofRing(unverified, loggedUnverifiedMax)}) as kept
    where ${where} ${page}`,
});

/** Lists apps with calls that were logged before a real instant. */
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
