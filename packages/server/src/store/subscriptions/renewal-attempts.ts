// Attempts to charge a period: one transaction begins them with a lease, the charge runs outside any transaction, another
// one settles them (docs/decisions/subscriptions.md). Each has locked their subscriptions.

import Type from 'typebox';
import type { Queryable } from '../connection/database.ts';
import type { Author } from '../events/events.ts';
import { NoRow, statement, unchecked } from '../statements/statement.ts';
import {
  arrayParameters,
  columnArrays,
  columnNames,
  pick,
  type RowOf,
  selectList,
  setList,
  type ValuesOf,
} from '../statements/table.ts';
import { renewalAttempt } from '../tables/ledger.ts';
import type { SubscriptionKeys } from './subscription-locks.ts';

const readAttempt = pick(
  renewalAttempt,
  'firstPurchaseId',
  'periodIndex',
  'attempt',
  'idempotencyKey',
  'dueTime',
  'begunTime',
  'tries',
  'outcome',
  'wasPending',
);
/** The latest tries of an attempt, if they had no answer. */
export interface Unanswered {
  /** When the first of them failed, in real time. */
  readonly unansweredSince: number | null;
  /** Why the latest of them has none. */
  readonly unansweredReason: string | null;
}

export interface AttemptRow extends RowOf<typeof readAttempt>, Unanswered {
  readonly leaseHolder: string | null;
  readonly leaseUntil: number | null;
}

const newAttempt = pick(
  renewalAttempt,
  'firstPurchaseId',
  'periodIndex',
  'attempt',
  'idempotencyKey',
  'dueTime',
  'begunTime',
);
export type NewAttempt = ValuesOf<typeof newAttempt>;

const changedAttempt = pick(
  renewalAttempt,
  'firstPurchaseId',
  'nextTryTime',
  'outcome',
  'settledTime',
  'purchaseId',
  'wasPending',
);
/** What becomes of an open attempt: it gets an outcome, or stays open and is sent again at `nextTryTime`, if at all. */
export type AttemptChange = ValuesOf<typeof changedAttempt> & Unanswered;

// Served by the primary key of renewal_attempt, backwards, once for each subscription.
const selectNewestAttempts = statement({
  name: 'select_newest_attempts',
  text: `select a.* from unnest($2::text[]) as wanted (first_purchase_id)
    cross join lateral (
      select ${selectList(readAttempt, 'a')}, a.lease_holder as "leaseHolder", a.lease_until as "leaseUntil",
        a.unanswered_since as "unansweredSince", a.unanswered_reason as "unansweredReason"
      from renewal_attempt a
      where a.package_name = $1 and a.first_purchase_id = wanted.first_purchase_id
      order by a.period_index desc, a.attempt desc limit 1) as a`,
  row: unchecked<AttemptRow>(),
});

const newNames = columnNames(newAttempt);

// The subscriptions are locked, so that no concurrent insert conflicts.
const insertAttempts = statement({
  name: 'insert_attempts',
  text: `insert into renewal_attempt (package_name, ${newNames}, tries, next_try_time, lease_holder, lease_until,
      made_by, request_id)
    select $1, ${newNames}, 1, begun_time, $2, $3, $4, $5
    from unnest(${arrayParameters(newAttempt, 6)}) as b (${newNames})`,
  row: NoRow,
});

// Served by the primary key.
const writeOpenChargeTimes = statement({
  name: 'write_open_charge_times',
  text: `update subscription s set open_charge_time = o.open_charge_time
    from unnest($2::text[], $3::bigint[]) as o (first_purchase_id, open_charge_time)
    where s.package_name = $1 and s.first_purchase_id = o.first_purchase_id`,
  row: NoRow,
});

// Served by renewal_attempt_open.
const leaseOpenAttempts = statement({
  name: 'lease_open_attempts',
  text: `update renewal_attempt set tries = tries + 1, lease_holder = $3, lease_until = $4
    where package_name = $1 and first_purchase_id = any($2::text[]) and outcome is null`,
  row: NoRow,
});

// Served by renewal_attempt_open.
const updateOpenAttempts = statement({
  name: 'update_open_attempts',
  text: `update renewal_attempt a set ${setList(changedAttempt, 'c')}, unanswered_since = c.unanswered_since,
      unanswered_reason = c.unanswered_reason, lease_holder = null, lease_until = null
    from unnest($2::bigint[], $3::text[], ${arrayParameters(changedAttempt, 4)})
      as c (unanswered_since, unanswered_reason, ${columnNames(changedAttempt)})
    where a.package_name = $1 and a.first_purchase_id = c.first_purchase_id and a.outcome is null
    returning a.first_purchase_id as "firstPurchaseId"`,
  row: Type.Object({ firstPurchaseId: Type.String() }),
});

/** The newest attempt of each subscription that has one, by its first purchase id. */
export async function findNewestAttempts(
  transaction: Queryable,
  { packageName, firstPurchaseIds }: SubscriptionKeys,
): Promise<ReadonlyMap<string, AttemptRow>> {
  const rows = await transaction.rows(selectNewestAttempts, [packageName, firstPurchaseIds]);
  return new Map(rows.map((row) => [row.firstPurchaseId, row]));
}

export interface Lease {
  readonly holder: string;
  /** A real instant, ms. */
  readonly until: number;
}

/** Begins attempts, and marks their subscriptions as having one open. */
export async function beginAttempts(
  transaction: Queryable,
  packageName: string,
  attempts: readonly NewAttempt[],
  { lease, author }: { readonly lease: Lease; readonly author: Author },
): Promise<void> {
  if (attempts.length === 0) return;
  await transaction.rows(insertAttempts, [
    packageName,
    lease.holder,
    lease.until,
    author.madeBy,
    author.requestId,
    ...columnArrays(newAttempt, attempts),
  ]);
  await transaction.rows(writeOpenChargeTimes, [
    packageName,
    attempts.map((attempt) => attempt.firstPurchaseId),
    attempts.map((attempt) => attempt.begunTime),
  ]);
}

/** Acquires the lease of open attempts, for a retry. */
export async function retryAttempts(
  transaction: Queryable,
  { packageName, firstPurchaseIds }: SubscriptionKeys,
  lease: Lease,
): Promise<void> {
  if (firstPurchaseIds.length === 0) return;
  await transaction.rows(leaseOpenAttempts, [packageName, firstPurchaseIds, lease.holder, lease.until]);
}

/** Writes what becomes of open attempts and ends their leases; their subscriptions are written by the caller. */
export async function changeOpenAttempts(
  transaction: Queryable,
  packageName: string,
  changes: readonly AttemptChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const since = changes.map(({ unansweredSince }) => unansweredSince);
  const reasons = changes.map(({ unansweredReason }) => unansweredReason);
  const values = [packageName, since, reasons, ...columnArrays(changedAttempt, changes)];
  const changed = await transaction.rows(updateOpenAttempts, values);
  if (changed.length !== changes.length) throw new Error('An attempt was settled twice.');
}
