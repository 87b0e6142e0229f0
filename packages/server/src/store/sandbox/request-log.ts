// The log of an app's latest calls, in the sandbox only: written after the responses and in batches, with limits in
// memory and in the database.

import { loggedRequestsMax, loggedUnverifiedMax } from '@opentill/contract/logged-request.ts';
import { patternText } from '@opentill/contract/patterns.ts';
import { getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import Type from 'typebox';
import { agedAppsScan } from '../apps/app-scan.ts';
import { coalesced } from '../connection/coalesced.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { pagedList } from '../connection/paged-list.ts';
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
const gatherMs = 100;

/** A call that waits longer to be written, in ms, is dropped: the database has been unavailable. */
const waitMsMax = 30_000;

/** An app's log is trimmed after this server has added this many calls to it, so this many may be over the limit. */
const trimEvery = 100;

/** Calls that one trim removes: more than are added between two of them. */
const trimMax = 1_000;

/** Apps whose additions are counted; with more, all are trimmed at their next call. */
const countedAppsMax = 10_000;

interface RequestLogOptions {
  /** Finds the app of a token. */
  readonly findPackageName: (appNumber: number) => Promise<string | undefined>;
  /** Called for calls that will not be written; `error` is set if a write failed. */
  readonly onDropped: (count: number, error?: unknown) => void;
}

interface Ring {
  /** Calls kept for each app. */
  readonly keptMax: number;
  readonly isUnverified: boolean;
  /** Calls that this process has added for each app since it last trimmed the app's log. */
  readonly addedTo: Map<string, number>;
}

type OrderedCall = UnwrittenCall & { readonly callOrder: number };

export class RequestLog implements AsyncDisposable {
  readonly #database: Database;
  readonly #options: RequestLogOptions;
  readonly #logCall: (call: OrderedCall) => Promise<void>;
  readonly #logUnverified: (call: OrderedCall) => Promise<void>;
  readonly #unwritten = new Set<Promise<void>>();
  #callOrder = 0;

  constructor(database: Database, options: RequestLogOptions) {
    this.#database = database;
    this.#options = options;
    const writer = (max: number, ring: Ring) => {
      const limits = { batchMax, gatherMs, inFlightMax: 1, waitingMax: max, waitMsMax };
      return coalesced(database, limits, (calls: readonly OrderedCall[]) => this.#write(calls, ring));
    };
    const verified = { keptMax: loggedRequestsMax, isUnverified: false, addedTo: new Map() };
    this.#logCall = writer(waitingMax, verified);
    const ofAnyone = { keptMax: loggedUnverifiedMax, isUnverified: true, addedTo: new Map() };
    this.#logUnverified = writer(unverifiedWaitingMax, ofAnyone);
  }

  /** A call that is not written, because it does not fit in memory or a write failed, is counted and not retried. */
  add(call: UnwrittenCall): void {
    this.#callOrder += 1;
    const ordered = { ...call, callOrder: this.#callOrder };
    const writing = (isUnverified(call) ? this.#logUnverified(ordered) : this.#logCall(ordered))
      .catch(() => this.#options.onDropped(1))
      .finally(() => this.#unwritten.delete(writing));
    this.#unwritten.add(writing);
  }

  /** Resolves when the calls that this process has added so far are written or dropped. */
  async flush(): Promise<void> {
    await Promise.all(this.#unwritten);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.flush();
  }

  async #write(calls: readonly OrderedCall[], ring: Ring): Promise<readonly undefined[]> {
    try {
      await this.#writeByApp(calls, ring);
    } catch (error) {
      this.#options.onDropped(calls.length, error);
    }
    return calls.map(() => undefined);
  }

  async #writeByApp(calls: readonly OrderedCall[], ring: Ring): Promise<void> {
    const { findPackageName } = this.#options;
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

  async #insert(packageName: string, calls: readonly OrderedCall[]): Promise<void> {
    const hints = calls.map((call) => JSON.stringify(call.hints));
    await this.#database.rows(insertCalls, [packageName, hints, ...columnArrays(loggedValues, calls)]);
  }

  async #trim(packageName: string, added: number, { keptMax, isUnverified, addedTo }: Ring): Promise<void> {
    if (addedTo.size >= countedAppsMax) addedTo.clear();
    // The log of an app that this process has not counted may have any length.
    const count = (addedTo.get(packageName) ?? trimEvery) + added;
    addedTo.set(packageName, count >= trimEvery ? 0 : count);
    if (count < trimEvery) return;
    await this.#database.rows(trimCalls, [packageName, isUnverified, keptMax, trimMax]);
  }
}

export const LogPosition = Type.Object({
  calledAt: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  callOrder: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  requestId: patternText('^[\\w-]*$', 'characters of A-Z a-z 0-9 _ -', { maxLength: 100 }),
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
