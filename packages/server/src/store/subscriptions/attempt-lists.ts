// Attempts to charge a period as operators see them, and counts of due renewals.

import { renewalCountMax, unresolvedShownMax } from '@opentill/contract/renewals.ts';
import Type, { type Static } from 'typebox';
import type { PeriodsOfSubscription } from '../../domain/subscriptions/subscription.ts';
import type { Queryable } from '../connection/database.ts';
import { filtered } from '../statements/filtered.ts';
import { nullable, statement } from '../statements/statement.ts';
import { rowShape, selectList } from '../statements/table.ts';
import { renewalAttempt, subscription } from '../tables/ledger.ts';

const ListedAttempt = Type.Object({
  ...rowShape(renewalAttempt).properties,
  /** Real time: until then, a server may be waiting for the answer to the charge. */
  leaseUntil: nullable(Type.Integer()),
});
export type ListedAttempt = Static<typeof ListedAttempt>;

const columns = `${selectList(renewalAttempt, 'a')}, a.lease_until as "leaseUntil"`;

const DueSubscription = Type.Object({
  ...rowShape(subscription).properties,
  /** The open attempt, if there is one. */
  wasPending: nullable(Type.Boolean()),
  begunTime: nullable(Type.Integer()),
});
export type DueSubscription = Static<typeof DueSubscription>;

// Served by the primary key, backwards.
const selectAttempts = statement({
  name: 'select_attempts',
  text: `select ${columns} from renewal_attempt a
    where a.package_name = $1 and a.first_purchase_id = $2 and a.period_index between $3 and $4
    order by a.period_index desc, a.attempt desc limit $5`,
  row: ListedAttempt,
});

/** The newest `limit` attempts of a range of periods, newest first. */
export function listAttempts(
  queryable: Queryable,
  of: PeriodsOfSubscription,
  limit: number,
): Promise<ListedAttempt[]> {
  const { packageName, firstPurchaseId, fromPeriod, toPeriod } = of;
  return queryable.rows(selectAttempts, [packageName, firstPurchaseId, fromPeriod, toPeriod, limit]);
}

// Served by the primary key.
const selectAttempt = statement({
  name: 'select_attempt',
  text: `select ${columns} from renewal_attempt a
    where a.package_name = $1 and a.first_purchase_id = $2 and a.period_index = $3 and a.attempt = $4`,
  row: ListedAttempt,
});

/** The filter for one app. */
const ofApp = { packageName: 'a.package_name = $packageName' };

/** The attempts with a condition that were due first. */
const earliestAttempts = (name: string, condition: string) =>
  filtered({
    name,
    row: ListedAttempt,
    filters: ofApp,
    text: (where) => `select ${columns} from renewal_attempt a where ${where()} and ${condition}
      order by a.due_time, a.package_name, a.first_purchase_id limit ${unresolvedShownMax}`,
  });

// Served by renewal_attempt_waiting for all apps, and by renewal_attempt_open for one.
const selectUnresolvedAttempts = earliestAttempts(
  'select_unresolved_attempts',
  'a.outcome is null and a.next_try_time is null',
);
const AttemptCounts = Type.Object({
  open: Type.Integer(),
  unresolved: Type.Integer(),
});

// Served by renewal_attempt_open and renewal_attempt_waiting.
const countAttempts = filtered({
  name: 'count_waiting_attempts',
  row: AttemptCounts,
  filters: ofApp,
  text: (where) => {
    // Citus cannot store a result without columns.
    const count = (isCounted: string) => `(select count(*)::integer from (select 1 from renewal_attempt a
      where ${where()} and ${isCounted} limit ${renewalCountMax}) as counted)`;
    return `select ${count('a.outcome is null and a.next_try_time is not null')} as open,
      ${count('a.outcome is null and a.next_try_time is null')} as unresolved`;
  },
});

// Served by subscription_due for all apps, and by subscription_due_of_app for one; by renewal_attempt_open.
const selectDue = filtered({
  name: 'select_due_subscriptions',
  row: DueSubscription,
  filters: { packageName: 's.package_name = $packageName' },
  text: (
    where,
  ) => `select ${selectList(subscription, 's')}, a.was_pending as "wasPending", a.begun_time as "begunTime"
    from subscription s left join renewal_attempt a on a.package_name = s.package_name
      and a.first_purchase_id = s.first_purchase_id and a.outcome is null
    where ${where()} and s.due_time <= $now order by s.due_time limit ${renewalCountMax}`,
});

export interface AttemptKey {
  readonly packageName: string;
  readonly firstPurchaseId: string;
  readonly periodIndex: number;
  readonly attempt: number;
}

export async function findAttempt(
  queryable: Queryable,
  { packageName, firstPurchaseId, periodIndex, attempt }: AttemptKey,
): Promise<ListedAttempt | undefined> {
  const key = [packageName, firstPurchaseId, periodIndex, attempt];
  return (await queryable.rows(selectAttempt, key))[0];
}

/** The attempts of one app, or of all, that are not retried although they have no outcome: oldest first. */
export function listUnresolvedAttempts(
  queryable: Queryable,
  packageName: string | undefined,
): Promise<ListedAttempt[]> {
  return selectUnresolvedAttempts(queryable, { packageName });
}

/** Counts the attempts of one app, or of all, that have no outcome, up to `renewalCountMax`. */
export async function countWaitingAttempts(
  queryable: Queryable,
  packageName: string | undefined,
): Promise<Static<typeof AttemptCounts>> {
  const [counts] = await countAttempts(queryable, { packageName });
  return counts ?? { open: 0, unresolved: 0 };
}

/** The subscriptions of one app, or of all, that have been due longest at an instant, at most `renewalCountMax`. */
export function listDueSubscriptions(
  queryable: Queryable,
  packageName: string | undefined,
  now: number,
): Promise<DueSubscription[]> {
  return selectDue(queryable, { packageName, now });
}
