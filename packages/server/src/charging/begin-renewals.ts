// First transaction of a renewal: decides what is due for the subscriptions of a batch, and records an attempt with its key
// and a lease for each charge (docs/decisions/subscriptions.md).

import { attemptLeaseMs, chargeSendMs, isLeased } from '../domain/clocks/leases.ts';
import type { PackageName, PurchaseId } from '../domain/identifiers.ts';
import {
  type AttemptNumber,
  decideDueWork,
  dueTimeOf,
  idempotencyKeyOf,
} from '../domain/subscriptions/renewal.ts';
import { priceOf } from '../domain/subscriptions/subscription.ts';
import { logAlert } from '../runtime/alert-lines.ts';
import type { Queryable } from '../store/connection/database.ts';
import type { Author } from '../store/events/events.ts';
import { isBeingAdvanced } from '../store/sandbox/app-clocks.ts';
import {
  type AttemptRow,
  beginAttempts,
  findNewestAttempts,
  type Lease,
  retryAttempts,
} from '../store/subscriptions/renewal-attempts.ts';
import { shareRenewals } from '../store/subscriptions/renewal-pauses.ts';
import type { LockedDueSubscription } from '../store/subscriptions/subscription-locks.ts';
import { renewableFromRow, type SubscriptionRow } from '../store/subscriptions/subscriptions.ts';
import type { Charge } from './charges.ts';
import type { ChargeRequest } from './gateways/payment-gateway.ts';
import type { RenewalOptions } from './renewal-options.ts';

/** Returns what begins, in order of due time; nothing while the app is paused, held, or advanced by another call. */
export function beginRenewals(
  options: RenewalOptions,
  {
    packageName,
    author,
    lock,
    isAdvance,
  }: {
    readonly packageName: string;
    readonly author: Author;
    /** Locks what is due, in order of due time: the first lock of the transaction, except for that of the app's clock. */
    readonly lock: (transaction: Queryable) => Promise<readonly LockedDueSubscription[]>;
    /** In an advance the whole app is leased, so an open attempt was left by a server that died. */
    readonly isAdvance: boolean;
  },
): Promise<Charge[]> {
  return options.database.transaction({ packageName }, async (transaction) => {
    if (!isAdvance && (await isBeingAdvanced(transaction, options, packageName))) return [];
    const due = await lock(transaction);
    if (due.length === 0) return [];
    const { now, realNow, hold } = await options.clock.read(transaction, packageName);
    if (hold !== undefined) return [];
    const firstPurchaseIds = due.map((row) => row.firstPurchaseId);
    const newestOf = await findNewestAttempts(transaction, { packageName, firstPurchaseIds });
    const { isDistributed } = options.database;
    if (await shareRenewals(transaction, { packageName, isDistributed })) return [];
    const sendableUntil = realNow + chargeSendMs;
    const begun = due.flatMap((row) => {
      const { firstPurchaseId, dueTime } = row;
      const newest = newestOf.get(firstPurchaseId);
      if (!isAdvance && isLeased(newest?.leaseUntil, realNow, attemptLeaseMs)) return [];
      const instant = isAdvance ? dueTime : happensAt(options, dueTime, now);
      const decided = decide(options, row, { instant, newest });
      return decided ? [{ ...decided, firstPurchaseId, dueTime, instant, sendableUntil }] : [];
    });
    const lease = { holder: options.holder, until: realNow + attemptLeaseMs };
    await writeBegun(transaction, { packageName, author, begun, lease });
    return begun;
  });
}

/** Writes new attempts, and acquires the lease of those that are retried. */
async function writeBegun(
  transaction: Queryable,
  {
    packageName,
    author,
    begun,
    lease,
  }: {
    readonly packageName: string;
    readonly author: Author;
    readonly begun: readonly Charge[];
    readonly lease: Lease;
  },
): Promise<void> {
  const attempts = begun.flatMap(({ request, isRetry, dueTime, instant }) =>
    request === undefined || isRetry ? [] : [{ ...request, dueTime, begunTime: instant }],
  );
  await beginAttempts(transaction, packageName, attempts, { lease, author });
  const retried = begun.filter(({ isRetry }) => isRetry);
  const firstPurchaseIds = retried.map((one) => one.firstPurchaseId);
  await retryAttempts(transaction, { packageName, firstPurchaseIds }, lease);
}

function decide(
  options: RenewalOptions,
  row: SubscriptionRow,
  { instant, newest }: { readonly instant: number; readonly newest: AttemptRow | undefined },
): Pick<Charge, 'request' | 'isRetry' | 'unansweredSince'> | undefined {
  const subscription = renewableFromRow(row);
  const due = decideDueWork(subscription, { now: instant, newest });
  if (due === undefined) {
    const { packageName: app, firstPurchaseId } = row;
    // No server marks a charge as open without an open attempt.
    const isStuck = (dueTimeOf(subscription) ?? Infinity) <= instant;
    if (isStuck) logAlert(options.log, 'subscriptionsStuck', { app, firstPurchaseId });
    return undefined;
  }
  if (due.kind === 'attempt') {
    const idempotencyKey = keyOf(options, row, due.number);
    const request = requestOf(row, { ...due.number, idempotencyKey });
    return { request, isRetry: false, unansweredSince: null };
  }
  if (due.kind === 'retry' && newest !== undefined)
    return { request: requestOf(row, newest), isRetry: true, unansweredSince: newest.unansweredSince };
  return { request: undefined, isRetry: false, unansweredSince: null };
}

function keyOf({ installationId }: RenewalOptions, row: SubscriptionRow, number: AttemptNumber): string {
  const installation = installationId.toString('hex');
  const packageName = row.packageName as PackageName;
  const firstPurchaseId = row.firstPurchaseId as PurchaseId;
  return idempotencyKeyOf({ installation, packageName, firstPurchaseId, ...number });
}

function requestOf(
  row: SubscriptionRow,
  { idempotencyKey, periodIndex, attempt }: AttemptNumber & { readonly idempotencyKey: string },
): ChargeRequest {
  const { packageName, productId, firstPurchaseId, buyerId, developerPayload, period, currency } = row;
  const [price, startTime] = [priceOf(row, periodIndex), row.expiryTime];
  return {
    ...{ idempotencyKey, packageName, productId, firstPurchaseId, buyerId, developerPayload },
    ...{ period, periodIndex, attempt, price, currency, startTime },
  };
}

/** Returns the effective time: the due time for a sandbox catch-up, otherwise now. */
export function happensAt(
  { environment }: Pick<RenewalOptions, 'environment'>,
  dueTime: number,
  now: number,
): number {
  return environment === 'sandbox' ? Math.min(dueTime, now) : now;
}
