// Attempts to charge a month as operators see them, and counts of what waits.

import { renewalCountMax, unresolvedShownMax } from '@opentill/contract/renewals.ts';
import Type, { type Static, type TObject } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { nullable, type Statement, statement } from '../connection/statement.ts';
import { renewalAttempt, subscription } from '../tables/ledger.ts';
import { rowShape, selectList } from '../tables/table.ts';

const ListedAttempt = Type.Object({
  ...rowShape(renewalAttempt).properties,
  /** Real time: until then, a server may be waiting for the answer to the charge. */
  leaseUntil: nullable(Type.Integer()),
});
export type ListedAttempt = Static<typeof ListedAttempt>;

const columns = `${selectList(renewalAttempt, 'a')}, a.lease_until as "leaseUntil"`;

const DueSubscription = Type.Object({
  ...rowShape(subscription).properties,
  /** Whether the gateway has answered the open attempt with pending; null if no attempt is open. */
  wasPending: nullable(Type.Boolean()),
  hasConflict: Type.Boolean(),
});
export type DueSubscription = Static<typeof DueSubscription>;

// Served by the primary key, backwards.
const selectAttempts = statement({
  name: 'select_attempts',
  text: `select ${columns} from renewal_attempt a
    where a.package_name = $1 and a.first_purchase_id = $2 and (a.period_index, a.attempt) < ($3, $4)
      and a.period_index >= $5
    order by a.period_index desc, a.attempt desc limit $6`,
  row: ListedAttempt,
});

// Served by the primary key.
const selectAttempt = statement({
  name: 'select_attempt',
  text: `select ${columns} from renewal_attempt a
    where a.package_name = $1 and a.first_purchase_id = $2 and a.period_index = $3 and a.attempt = $4`,
  row: ListedAttempt,
});

interface ScopedStatement<Row> {
  readonly ofAll: Statement<Row>;
  readonly ofApp: Statement<Row>;
}

/** A statement about all apps, and the same about the app $2; `alias` is that of its table. */
function scoped<Shape extends TObject>(
  name: string,
  { alias, row }: { readonly alias: string; readonly row: Shape },
  text: (isInScope: string) => string,
): ScopedStatement<Static<Shape>> {
  return {
    ofAll: statement({ name, text: text('true'), row }),
    ofApp: statement({ name: `${name}_of_app`, text: text(`${alias}.package_name = $2`), row }),
  };
}

// Served by renewal_attempt_waiting for all apps, and by renewal_attempt_open for one.
const selectUnresolvedAttempts = scoped(
  'select_unresolved_attempts',
  { alias: 'a', row: ListedAttempt },
  (isInScope) => `select ${columns} from renewal_attempt a
    where ${isInScope} and outcome is null and next_try_time is null
    order by due_time, package_name, first_purchase_id limit $1`,
);
// Served by renewal_attempt_conflict.
const selectConflicts = scoped(
  'select_conflicts',
  { alias: 'a', row: ListedAttempt },
  (isInScope) => `select ${columns} from renewal_attempt a
    where ${isInScope} and conflict_time is not null order by due_time, package_name, first_purchase_id limit $1`,
);

const AttemptCounts = Type.Object({
  open: Type.Integer(),
  unresolved: Type.Integer(),
  conflicts: Type.Integer(),
});

const countAttempts = scoped('count_waiting_attempts', { alias: 'a', row: AttemptCounts }, (isInScope) => {
  // Citus cannot store a result without columns.
  const count = (isCounted: string) => `(select count(*)::integer from (select 1 from renewal_attempt a
      where ${isInScope} and ${isCounted} limit $1) as counted)`;
  return `select ${count('outcome is null and next_try_time is not null')} as open,
      ${count('outcome is null and next_try_time is null')} as unresolved,
      ${count('conflict_time is not null')} as conflicts`;
});

// Served by subscription_due for all apps, and by subscription_due_of_app for one; by renewal_attempt_open and _conflict.
const selectDue = scoped(
  'select_due_subscriptions',
  { alias: 's', row: DueSubscription },
  (isInScope) => `select ${selectList(subscription, 's')}, a.was_pending as "wasPending",
      c.first_purchase_id is not null as "hasConflict"
    from subscription s left join renewal_attempt a on a.package_name = s.package_name
      and a.first_purchase_id = s.first_purchase_id and a.outcome is null
    left join (select distinct package_name, first_purchase_id from renewal_attempt
      where conflict_time is not null) as c on c.package_name = s.package_name
      and c.first_purchase_id = s.first_purchase_id
    where ${isInScope} and s.due_time <= $1 order by s.due_time limit ${renewalCountMax}`,
);

function rowsInScope<Row>(
  queryable: Queryable,
  { ofAll, ofApp }: ScopedStatement<Row>,
  parameter: number,
  packageName: string | undefined,
): Promise<Row[]> {
  return packageName === undefined
    ? queryable.rows(ofAll, [parameter])
    : queryable.rows(ofApp, [parameter, packageName]);
}

interface AttemptKey {
  readonly packageName: string;
  readonly firstPurchaseId: string;
  readonly periodIndex: number;
  readonly attempt: number;
}

/** Lists at most `limit` attempts of a subscription before this one (exclusive) and from a month on, newest first. */
export function listAttempts(
  queryable: Queryable,
  before: AttemptKey & { readonly fromPeriod: number },
  limit: number,
): Promise<ListedAttempt[]> {
  const { packageName, firstPurchaseId, periodIndex, attempt, fromPeriod } = before;
  const values = [packageName, firstPurchaseId, periodIndex, attempt, fromPeriod, limit];
  return queryable.rows(selectAttempts, values);
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
  return rowsInScope(queryable, selectUnresolvedAttempts, unresolvedShownMax, packageName);
}

/** The attempts of one app, or of all, that were paid after they were settled as declined: oldest first. */
export function listConflicts(
  queryable: Queryable,
  packageName: string | undefined,
): Promise<ListedAttempt[]> {
  return rowsInScope(queryable, selectConflicts, unresolvedShownMax, packageName);
}

/** Counts the attempts of one app, or of all, that have no outcome or a contradicted one, up to `renewalCountMax`. */
export async function countWaitingAttempts(
  queryable: Queryable,
  packageName: string | undefined,
): Promise<Static<typeof AttemptCounts>> {
  const [counts] = await rowsInScope(queryable, countAttempts, renewalCountMax, packageName);
  return counts ?? { open: 0, unresolved: 0, conflicts: 0 };
}

/** The subscriptions of one app, or of all, that have been due longest at an instant, at most `renewalCountMax`. */
export function listDueSubscriptions(
  queryable: Queryable,
  packageName: string | undefined,
  now: number,
): Promise<DueSubscription[]> {
  return rowsInScope(queryable, selectDue, now, packageName);
}
