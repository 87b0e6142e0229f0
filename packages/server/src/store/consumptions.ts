// Consumes purchases: many requests share one statement that changes the rows and writes their events, and
// each request has an outcome of its own (docs/decisions/coalesced-statements.md).

import Type, { type Static } from 'typebox';
import { coalesced } from './coalesced.ts';
import type { Database } from './database.ts';
import { LockNotAvailable } from './database-failure.ts';
import { gathered } from './gathered.ts';
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

/** A shared statement gives up on a counter row that is held for longer than this, in ms: others wait with it. */
const sharedLockMs = 250;

const boundedWait = `cross join (select set_config('lock_timeout', '${sharedLockMs}', true)) as bound`;

// Rows are locked in the order of the primary key; with `skip locked` a row that is held elsewhere is passed
// over, and its request asks again in turn. Counter rows come last, in the order of package names.
const consumeText = (on: { lockedRow: 'skip locked' | ''; lockedCounter: typeof boundedWait | '' }) => `
  with request as (
    select r.* from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[]) with ordinality
      as r (package_name, purchase_id, consumed_time, made_by, request_id, position) ${on.lockedCounter}
  ), held as (
    select p.package_name, p.purchase_id, p.consumed_time, p.voided_time, p.first_purchase_id
    from request r
    join purchase p on p.package_name = r.package_name and p.purchase_id = r.purchase_id
    where p.package_name = any($6::text[])
    order by p.package_name, p.purchase_id
    for no key update of p ${on.lockedRow}
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

/** The statement that many requests share, for a measurement of the database alone. */
export const consumeStatementText = consumeText({ lockedRow: 'skip locked', lockedCounter: boundedWait });

// All are served by the primary keys of purchase, app_counter and event.
const consumeBatch = statement({ name: 'consume_batch', text: consumeStatementText, row: Outcome });
const consumeOfApp = statement({
  name: 'consume_of_app',
  text: consumeText({ lockedRow: 'skip locked', lockedCounter: '' }),
  row: Outcome,
});
const consumeAlone = statement({
  name: 'consume_alone',
  text: consumeText({ lockedRow: '', lockedCounter: '' }),
  row: Outcome,
});

/** Few statements at once: the requests that come meanwhile make the next one larger instead. */
const batchLimits = { batchMax: 100, inFlightMax: 2 } as const;

/** undefined stands for a purchase whose row is held elsewhere: nothing was written for it. */
type Attempt = Consumption | undefined;

/**
 * Consumes one purchase, sharing a statement with the requests around it. Equal keys in one batch: the first
 * gets the outcome, the others what a second caller gets. Requests that meet a held row leave the batch, so
 * that they delay nobody else (docs/decisions/held-rows.md). On a cluster a batch is of one app.
 * @throws DatabaseUnavailable, then the outcome may be unknown: a batch is never repeated.
 */
export function purchaseConsumer(database: Database): (request: ConsumeRequest) => Promise<Consumption> {
  const heldApps = new Set<string>();
  const together = coalesced<ConsumeRequest, Attempt | 'apart'>(batchLimits, async (requests) => {
    try {
      return await consumeTogether(database, consumeBatch, requests);
    } catch (error) {
      if (!(error instanceof LockNotAvailable)) throw error;
      // Nothing was written. Somebody holds a counter row: each app now finds out by itself whether it is its.
      for (const { packageName } of requests) heldApps.add(packageName);
      return requests.map(() => 'apart' as const);
    }
  });
  const withApp = gathered(
    database,
    ({ packageName }: ConsumeRequest) => ({ packageName, record: consumptionsOfApp }),
    async (requests) => {
      const attempts = await consumeTogether(database, consumeOfApp, requests);
      heldApps.delete(requests[0].packageName);
      return attempts;
    },
  );
  const withPurchase = gathered(
    database,
    ({ packageName, purchaseId }: ConsumeRequest) => ({ packageName, record: purchaseId }),
    (requests) => consumeTogether(database, consumeAlone, requests),
  );
  return async (request) => {
    // A cluster locks rows of a single app with a statement.
    const isApart = database.isDistributed || heldApps.has(request.packageName);
    const first = isApart ? 'apart' : await together(request);
    const second = first === 'apart' ? await withApp(request) : first;
    // A row that this statement waited for and did not get is gone: in the sandbox the app was emptied meanwhile.
    return second ?? (await withPurchase(request)) ?? { kind: 'missing' };
  };
}

/** A record of its own among the turns of an app: no purchase id has a blank. */
const consumptionsOfApp = 'all consumptions';

async function consumeTogether(
  database: Database,
  text: typeof consumeBatch,
  requests: readonly ConsumeRequest[],
): Promise<Attempt[]> {
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
  for (const row of await database.rows(text, valuesOf(distinct))) outcomes[row.position - 1] = row;
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
