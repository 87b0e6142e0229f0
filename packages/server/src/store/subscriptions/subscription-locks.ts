// Locks subscriptions: one, several, or those with something due. It is the first lock of a transaction, but for that of the
// app's clock or webhook.

import Type, { type Static } from 'typebox';
import { attemptLeaseMs } from '../../domain/clocks/leases.ts';
import { isLeasedSql } from '../clocks/leases.ts';
import type { Queryable } from '../connection/database.ts';
import { statement } from '../statements/statement.ts';
import { SubscriptionRow, subscriptionColumns } from './subscriptions.ts';

// Served by the primary key.
const lockSubscriptionRow = statement({
  name: 'lock_subscription',
  text: `select ${subscriptionColumns}
    from subscription s where s.package_name = $1 and s.first_purchase_id = $2 for no key update`,
  row: SubscriptionRow,
});

const lockText = (lockedRow: string) => `
  select ${subscriptionColumns}
  from subscription s where s.package_name = $1 and s.first_purchase_id = any($2::text[])
  order by s.first_purchase_id for no key update ${lockedRow}`;

// Served by the primary key.
const lockSubscriptionRows = statement({
  name: 'lock_subscriptions',
  text: lockText(''),
  row: SubscriptionRow,
});
const lockFreeSubscriptionRows = statement({
  name: 'lock_free_subscriptions',
  text: lockText('skip locked'),
  row: SubscriptionRow,
});

const LockedDueSubscription = Type.Object({ ...SubscriptionRow.properties, dueTime: Type.Integer() });
/** A locked subscription with something due. */
export type LockedDueSubscription = Static<typeof LockedDueSubscription>;

// Served by subscription_due_of_app, in its order; the lease of an open attempt by renewal_attempt_open.
const lockDueRows = statement({
  name: 'lock_due_subscriptions',
  text: `select ${subscriptionColumns}, s.due_time as "dueTime"
    from subscription s
    where s.package_name = $1 and s.due_time <= $2 and (s.open_charge_time is null or not exists (
      select from renewal_attempt a where a.package_name = $1 and a.first_purchase_id = s.first_purchase_id
        and a.outcome is null and ${isLeasedSql('a.lease_until', '$3::bigint', attemptLeaseMs)}))
    order by s.due_time, s.first_purchase_id limit $4 for no key update of s skip locked`,
  row: LockedDueSubscription,
});

/** Reads and locks a subscription. */
export async function lockSubscription(
  transaction: Queryable,
  key: { packageName: string; firstPurchaseId: string },
): Promise<SubscriptionRow | undefined> {
  return (await transaction.rows(lockSubscriptionRow, [key.packageName, key.firstPurchaseId]))[0];
}

/** Several subscriptions of one app. */
export interface SubscriptionKeys {
  readonly packageName: string;
  readonly firstPurchaseIds: readonly string[];
}

/** Reads and locks subscriptions, in the order of their ids. */
export function lockSubscriptions(
  transaction: Queryable,
  { packageName, firstPurchaseIds }: SubscriptionKeys,
): Promise<SubscriptionRow[]> {
  return transaction.rows(lockSubscriptionRows, [packageName, firstPurchaseIds]);
}

/** The same without those that are locked elsewhere. */
export function lockFreeSubscriptions(
  transaction: Queryable,
  { packageName, firstPurchaseIds }: SubscriptionKeys,
): Promise<SubscriptionRow[]> {
  return transaction.rows(lockFreeSubscriptionRows, [packageName, firstPurchaseIds]);
}

interface DueOfApp {
  readonly packageName: string;
  /** Time of the app in ms, inclusive. */
  readonly until: number;
  /** A real instant: attempts with a lease that ends later are skipped. */
  readonly unleasedAt: number;
  readonly limit: number;
}

/** Reads and locks what is due, unleased and not locked elsewhere, in order of due time and then of id. */
export function lockDueSubscriptions(
  transaction: Queryable,
  { packageName, until, unleasedAt, limit }: DueOfApp,
): Promise<LockedDueSubscription[]> {
  return transaction.rows(lockDueRows, [packageName, until, unleasedAt, limit]);
}
