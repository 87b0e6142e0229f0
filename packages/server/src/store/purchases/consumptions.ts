// Consumes purchases: one statement locks the rows, changes them and writes their events
// (docs/decisions/consuming.md).

import Type, { type Static } from 'typebox';
import { coalescedBy } from '../connection/coalesced.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { lockTimeouts, sharedWrites } from '../connection/shared-writes.ts';
import { statement } from '../connection/statement.ts';
import { appendedEventsText } from '../events/events.ts';
import { lockPurchase } from './purchases.ts';

export interface ConsumeRequest {
  readonly packageName: string;
  readonly purchaseId: string;
  /** The app's instant, ms. */
  readonly now: number;
  readonly madeBy: string;
  readonly requestId: string;
}

/** `notCompleted`: no such purchase, or voided. `cannotChange`: already consumed, or a subscription. */
const Consumption = Type.Union([
  Type.Literal('consumed'),
  Type.Literal('notCompleted'),
  Type.Literal('cannotChange'),
]);
export type Consumption = Static<typeof Consumption>;

const ConsumedRow = Type.Object({
  position: Type.Integer(),
  /** `locked`: another transaction has locked the row of the purchase, and nothing was written. */
  outcome: Type.Union([...Consumption.anyOf, Type.Literal('locked')]),
});

// Served by the primary keys of purchase, app_counter and event. Rows are locked in the order of the primary key,
// purchases before counters. Of several requests for one purchase, the first may consume it.
const consumeText = `
  with request as (
    select r.*, row_number() over (partition by r.package_name, r.purchase_id order by r.position) as nth
    from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[]) with ordinality
      as r (package_name, purchase_id, event_time, made_by, request_id, position)
    cross join (select set_config('lock_timeout', $7, true)) as lock_timeout
  ), locked as (
    select p.package_name, p.purchase_id, p.voided_time
    from request r
    join purchase p on p.package_name = r.package_name and p.purchase_id = r.purchase_id
    where r.nth = 1 and p.package_name = any($6::text[])
    order by p.package_name, p.purchase_id
    for no key update of p skip locked
  ), changed as (
    update purchase p set consumed_time = r.event_time
    from locked l join request r using (package_name, purchase_id)
    where p.package_name = l.package_name and p.purchase_id = l.purchase_id and r.nth = 1
      and p.package_name = any($6::text[])
      and p.consumed_time is null and p.voided_time is null and p.first_purchase_id is null
    returning p.package_name, p.purchase_id, p.product_id, r.event_time, r.made_by, r.request_id, r.position
  ), ${appendedEventsText({ type: 'purchase.consumed', packageNames: '$6' })}
  select r.position, case
      when c.position = r.position then 'consumed'
      when l.voided_time is not null then 'notCompleted'
      when l.purchase_id is not null then 'cannotChange'
      when p.purchase_id is not null then 'locked'
      else 'notCompleted'
    end as outcome
  from request r
  left join changed c on c.package_name = r.package_name and c.purchase_id = r.purchase_id
  left join locked l on l.package_name = r.package_name and l.purchase_id = r.purchase_id
  left join purchase p on p.package_name = r.package_name and p.purchase_id = r.purchase_id
    and p.package_name = any($6::text[])`;

const consumePurchases = statement({ name: 'consume_purchases', text: consumeText, row: ConsumedRow });

// The same for requests of one app, as one call on its node (0001_baseline.sql).
const consumeOnCluster = statement({
  name: 'consume_on_cluster',
  text: `select * from consume_purchases_v1($1, $2::text[], $3::bigint[], $4::text[], $5::text[], $6, $7)`,
  row: ConsumedRow,
});

/** Requests that wait for the same purchase share a transaction when its row is free. */
const aloneLimits = { batchMax: 100, inFlightMax: 1 } as const;

/**
 * Consumes one purchase, sharing a statement with concurrent requests.
 * @throws DatabaseUnavailable; unless it is a LockNotAvailable, the purchase may have been consumed.
 */
export function purchaseConsumer(database: Database): (request: ConsumeRequest) => Promise<Consumption> {
  const keyOf = ({ packageName, purchaseId }: ConsumeRequest) => `${packageName}/${purchaseId}`;
  return sharedWrites(database, {
    together: (requests) =>
      database.isDistributed
        ? callFunction(database, requests, { lockTimeoutMs: lockTimeouts.sharedMs, waits: false })
        : consumeTogether(database, requests, lockTimeouts.sharedMs),
    alone: coalescedBy(keyOf, aloneLimits, (requests: readonly ConsumeRequest[]) =>
      consumeAlone(database, requests),
    ),
  });
}

async function consumeTogether(
  queryable: Queryable,
  requests: readonly ConsumeRequest[],
  lockTimeoutMs: number,
): Promise<(Consumption | undefined)[]> {
  const packageNames = requests.map((request) => request.packageName);
  const rows = await queryable.rows(consumePurchases, [
    packageNames,
    requests.map((request) => request.purchaseId),
    requests.map((request) => request.now),
    requests.map((request) => request.madeBy),
    requests.map((request) => request.requestId),
    [...new Set(packageNames)],
    String(lockTimeoutMs),
  ]);
  return outcomesOf(requests, rows);
}

/** Requests of one app. Citus sends the call to the app's node only if it is not part of a transaction. */
async function callFunction(
  database: Database,
  requests: readonly ConsumeRequest[],
  { lockTimeoutMs, waits }: { readonly lockTimeoutMs: number; readonly waits: boolean },
): Promise<(Consumption | undefined)[]> {
  const rows = await database.rows(consumeOnCluster, [
    requests[0]?.packageName,
    requests.map((request) => request.purchaseId),
    requests.map((request) => request.now),
    requests.map((request) => request.madeBy),
    requests.map((request) => request.requestId),
    String(lockTimeoutMs),
    waits,
  ]);
  return outcomesOf(requests, rows);
}

function outcomesOf(
  requests: readonly ConsumeRequest[],
  rows: readonly Static<typeof ConsumedRow>[],
): (Consumption | undefined)[] {
  const outcomes = new Map(rows.map(({ position, outcome }) => [position, outcome]));
  return requests.map((_request, index) => {
    // WITH ORDINALITY counts from 1.
    const outcome = outcomes.get(index + 1);
    if (outcome === undefined) throw new Error('The consume statement returned no outcome for a request.');
    return outcome === 'locked' ? undefined : outcome;
  });
}

/** The same statement for requests of one purchase, after its locks have been waited for. */
function consumeAlone(database: Database, requests: readonly ConsumeRequest[]): Promise<Consumption[]> {
  const [request] = requests;
  if (request === undefined) return Promise.resolve([]);
  const { packageName, purchaseId } = request;
  const scope = { packageName, record: purchaseId };
  if (database.isDistributed) {
    const how = { lockTimeoutMs: lockTimeouts.aloneMs, waits: true };
    return database.enqueue(scope, async () => (await callFunction(database, requests, how)).map(required));
  }
  return database.transaction(scope, async (transaction) => {
    const purchase = await lockPurchase(transaction, request);
    // In the sandbox, a reset may have removed it in the meantime.
    if (purchase === undefined) return requests.map(() => 'notCompleted' as const);
    const outcomes = await consumeTogether(transaction, requests, lockTimeouts.aloneMs);
    return outcomes.map(required);
  });
}

function required(outcome: Consumption | undefined): Consumption {
  if (outcome === undefined) throw new Error('The row of a purchase was locked twice.');
  return outcome;
}
