// Consumes purchases: many requests share one statement that changes the rows and writes their events, and
// each request has an outcome of its own (docs/decisions/coalesced-statements.md).

import Type, { type Static } from 'typebox';
import { coalesced } from './coalesced.ts';
import type { Database } from './database.ts';
import { LockNotAvailable } from './database-failure.ts';
import { nullable, statement } from './statement.ts';

export interface ConsumeRequest {
  readonly packageName: string;
  readonly purchaseId: string;
  /** The app's instant, ms. */
  readonly now: number;
  readonly madeBy: string;
  readonly requestId: string;
}

const Outcome = Type.Object({
  position: Type.Integer(),
  /** The purchase is there. */
  found: Type.Boolean(),
  /** Its row was not held by somebody else. */
  locked: Type.Boolean(),
  /** This statement consumed it. */
  consumed: Type.Boolean(),
  consumedTime: nullable(Type.Integer()),
  voidedTime: nullable(Type.Integer()),
  firstPurchaseId: nullable(Type.String()),
});
type Outcome = Static<typeof Outcome>;

/** What became of one request: consumed by it, or the state that stood in its way. */
export type Consumption =
  | { readonly kind: 'consumed' }
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'unchanged';
      readonly consumedTime: number | null;
      readonly voidedTime: number | null;
      readonly firstPurchaseId: string | null;
    };

// Rows are locked in the order of the primary key; with `skip locked` a row that is held elsewhere is passed
// over, and its request asks again alone. Counter rows come last, in the order of package names.
const consumeText = (onLockedRow: 'skip locked' | '') => `
  with request as (
    select * from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[]) with ordinality
      as r (package_name, purchase_id, consumed_time, made_by, request_id, position)
  ), held as (
    select p.package_name, p.purchase_id, p.consumed_time, p.voided_time, p.first_purchase_id
    from request r
    join purchase p on p.package_name = r.package_name and p.purchase_id = r.purchase_id
    where p.package_name = any($6::text[])
    order by p.package_name, p.purchase_id
    for no key update of p ${onLockedRow}
  ), consumed as (
    update purchase p set consumed_time = r.consumed_time
    from held h join request r using (package_name, purchase_id)
    where p.package_name = h.package_name and p.purchase_id = h.purchase_id
      and p.package_name = any($6::text[])
      and p.consumed_time is null and p.voided_time is null and p.first_purchase_id is null
    returning p.package_name, p.purchase_id, p.product_id, r.consumed_time, r.made_by, r.request_id, r.position
  ), held_counter as (
    select package_name from app_counter
    where package_name in (select package_name from consumed) and package_name = any($6::text[])
    order by package_name
    for no key update
  ), counted as (
    update app_counter c set event_order = c.event_order + n.consumptions
    from held_counter h
    join (select package_name, count(*) as consumptions from consumed group by package_name) n
      using (package_name)
    where c.package_name = h.package_name and c.package_name = any($6::text[])
    returning c.package_name, c.event_order - n.consumptions as order_before
  ), noted as (
    insert into event (package_name, event_order, type, event_time, purchase_id, product_id, made_by, request_id)
    select package_name, order_before + row_number() over (partition by package_name order by position),
      'purchase.consumed', consumed_time, purchase_id, product_id, made_by, request_id
    from consumed join counted using (package_name)
  )
  select r.position, p.purchase_id is not null as found, h.purchase_id is not null as locked,
    c.position is not null as consumed, h.consumed_time as "consumedTime", h.voided_time as "voidedTime",
    h.first_purchase_id as "firstPurchaseId"
  from request r
  left join held h on h.package_name = r.package_name and h.purchase_id = r.purchase_id
  left join consumed c on c.position = r.position
  left join purchase p on p.package_name = r.package_name and p.purchase_id = r.purchase_id
    and p.package_name = any($6::text[])`;

// Both are served by the primary keys of purchase, app_counter and event.
const consumeBatch = statement({ name: 'consume_batch', text: consumeText('skip locked'), row: Outcome });
const consumeAlone = statement({ name: 'consume_alone', text: consumeText(''), row: Outcome });

/**
 * One batch at a time: a second one would wait for the counter rows of the first, and the requests that
 * come meanwhile make the next batch larger instead.
 */
const batchLimits = { batchMax: 100, inFlightMax: 2 } as const;

/** Requests that wait for a row held elsewhere, each on a connection: so many may, the others queue. */
const aloneLimits = { batchMax: 1, inFlightMax: 4 } as const;

/**
 * Consumes one purchase, sharing a statement with the requests around it. Equal keys in one batch: the first
 * gets the outcome, the others what a second caller gets.
 * @throws DatabaseUnavailable, then the outcome may be unknown: a batch is never repeated.
 */
export function purchaseConsumer(database: Database): (request: ConsumeRequest) => Promise<Consumption> {
  const alone = coalesced(aloneLimits, async (requests: readonly ConsumeRequest[]) =>
    (await database.rows(consumeAlone, valuesOf(requests))).map(consumptionOf),
  );
  const shared = coalesced(batchLimits, (requests: readonly ConsumeRequest[]) =>
    consumeTogether(database, requests),
  );
  return async (request) => {
    const consumption = await shared(request);
    return consumption ?? alone(request);
  };
}

/** undefined stands for a request that has to ask alone: a row that it needs is held elsewhere. */
async function consumeTogether(
  database: Database,
  requests: readonly ConsumeRequest[],
): Promise<(Consumption | undefined)[]> {
  const firstOfKey = new Map<string, number>();
  const distinct: ConsumeRequest[] = [];
  const places = requests.map((request) => {
    const key = `${request.packageName}/${request.purchaseId}`;
    const place = firstOfKey.get(key);
    if (place !== undefined) return { place, isFirst: false };
    firstOfKey.set(key, distinct.length);
    return { place: distinct.push(request) - 1, isFirst: true };
  });
  const outcomes = new Array<Outcome>(distinct.length);
  try {
    for (const row of await database.rows(consumeBatch, valuesOf(distinct))) outcomes[row.position - 1] = row;
  } catch (error) {
    // Nothing was written: somebody holds a counter row, and only the requests of that app need wait for it.
    if (error instanceof LockNotAvailable) return requests.map(() => undefined);
    throw error;
  }
  return places.map(({ place, isFirst }) => {
    const outcome = outcomes[place];
    if (outcome === undefined) throw new Error('A consumed batch gave no outcome for a request.');
    if (outcome.found && !outcome.locked) return undefined;
    if (outcome.consumed && !isFirst) return secondOutcome(distinct[place]);
    return consumptionOf(outcome);
  });
}

function secondOutcome(first: ConsumeRequest | undefined): Consumption {
  return { kind: 'unchanged', consumedTime: first?.now ?? null, voidedTime: null, firstPurchaseId: null };
}

function consumptionOf(outcome: Outcome): Consumption {
  if (outcome.consumed) return { kind: 'consumed' };
  if (!outcome.locked) return { kind: 'missing' };
  const { consumedTime, voidedTime, firstPurchaseId } = outcome;
  return { kind: 'unchanged', consumedTime, voidedTime, firstPurchaseId };
}

function valuesOf(requests: readonly ConsumeRequest[]): unknown[] {
  const packageNames = requests.map((request) => request.packageName);
  return [
    packageNames,
    requests.map((request) => request.purchaseId),
    requests.map((request) => request.now),
    requests.map((request) => request.madeBy),
    requests.map((request) => request.requestId),
    [...new Set(packageNames)],
  ];
}
