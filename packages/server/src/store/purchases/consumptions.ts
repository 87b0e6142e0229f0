// Consumes purchases: one call locks the rows, changes them and writes their events
// (docs/decisions/purchases.md).

import Type, { type Static } from 'typebox';
import type { DatedStore } from '../clocks/store-clock.ts';
import { coalesced } from '../connection/coalesced.ts';
import { Overloaded } from '../connection/database-failure.ts';
import { lockTimeouts, sharedWrites } from '../connection/shared-writes.ts';
import { nullable, statement } from '../statements/statement.ts';
import { type PurchaseRow, purchaseRowOfColumns } from './purchases.ts';

export interface ConsumeRequest {
  readonly packageName: string;
  readonly purchaseId: string;
  readonly madeBy: string;
  readonly requestId: string;
  /** Whether the outcome has the row of the purchase. */
  readonly shows: boolean;
}

/** `notCompleted`: no such purchase, or voided. `cannotChange`: already consumed, or a subscription. */
const Outcome = Type.Union([
  Type.Literal('consumed'),
  Type.Literal('notCompleted'),
  Type.Literal('cannotChange'),
]);

interface Consumption {
  readonly outcome: Static<typeof Outcome>;
  /** As the call leaves it; undefined if there is none, or no request that shares the statement shows it. */
  readonly purchase: PurchaseRow | undefined;
}

const ConsumedRow = Type.Object({
  position: Type.Integer(),
  /** `locked`: another transaction has locked the row of the purchase, and nothing was written. */
  outcome: Type.Union([...Outcome.anyOf, Type.Literal('locked')]),
  purchase: nullable(Type.Record(Type.String(), Type.Unknown())),
});

// Served by the primary keys of purchase, app_counter and event (0001_baseline.sql).
const consumePurchases = statement({
  name: 'consume_purchases',
  text: 'select * from consume_purchases_v1($1, $2, $3, $4, $5, $6, $7, $8, $9)',
  row: ConsumedRow,
});

/** Consumes that find the row of their purchase locked although they wait for it; more than one is rare. */
const aloneAttemptsMax = 5;

/** Requests that wait for the same purchase share a transaction when its row is free. */
const aloneLimits = { batchMax: 100, inFlightMax: 1 } as const;

/**
 * Consumes one purchase, sharing a statement with concurrent requests.
 * @throws DatabaseUnavailable; unless it is a LockNotAvailable, the purchase may have been consumed.
 */
export function purchaseConsumer(store: DatedStore): (request: ConsumeRequest) => Promise<Consumption> {
  const { database } = store;
  const groupOf = ({ packageName, purchaseId }: ConsumeRequest) => `${packageName}/${purchaseId}`;
  return sharedWrites(database, {
    together: (requests) => consume(store, requests, { lockTimeoutMs: lockTimeouts.sharedMs, waits: false }),
    alone: coalesced(database, { ...aloneLimits, groupOf }, (requests: readonly ConsumeRequest[]) =>
      consumeAlone(store, requests),
    ),
  });
}

/** Citus sends the call to the node of the first request's app only if it is not part of a transaction. */
async function consume(
  { database, clock }: DatedStore,
  requests: readonly ConsumeRequest[],
  { lockTimeoutMs, waits }: { readonly lockTimeoutMs: number; readonly waits: boolean },
): Promise<(Consumption | undefined)[]> {
  const rows = await database.rows(consumePurchases, [
    requests[0]?.packageName,
    requests.map((request) => request.packageName),
    requests.map((request) => request.purchaseId),
    requests.map((request) => request.madeBy),
    requests.map((request) => request.requestId),
    clock.floor,
    String(lockTimeoutMs),
    waits,
    requests.some(({ shows }) => shows),
  ]);
  const found = new Map(rows.map((row) => [row.position, row]));
  return requests.map((_request, index) => {
    // WITH ORDINALITY counts from 1.
    const row = found.get(index + 1);
    if (row === undefined) throw new Error('The consume statement returned no outcome for a request.');
    const { outcome, purchase } = row;
    if (outcome === 'locked') return undefined;
    return { outcome, purchase: purchase === null ? undefined : purchaseRowOfColumns(purchase) };
  });
}

/** The same for requests of one purchase, whose row is waited for. */
function consumeAlone(store: DatedStore, requests: readonly ConsumeRequest[]): Promise<Consumption[]> {
  const [request] = requests;
  if (request === undefined) return Promise.resolve([]);
  const { packageName } = request;
  return store.database.enqueue({ packageName }, async () => {
    const how = { lockTimeoutMs: lockTimeouts.aloneMs, waits: true };
    for (let attempt = 0; attempt < aloneAttemptsMax; attempt += 1) {
      const outcomes = await consume(store, requests, how);
      if (outcomes.every((outcome) => outcome !== undefined)) return outcomes;
      // A reset had removed the purchase, so that no row was waited for, and it was recorded again since then.
    }
    throw new Overloaded('The purchase is being reset and recorded again and again.');
  });
}
