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
  retryAttempts,
} from '../store/subscriptions/renewal-attempts.ts';
import { shareRenewals } from '../store/subscriptions/renewal-pauses.ts';
import type { LockedDueSubscription } from '../store/subscriptions/subscription-locks.ts';
import { renewableFromRow, type SubscriptionRow } from '../store/subscriptions/subscriptions.ts';
import type { Charge } from './gateways/payment-gateway.ts';
import type { RenewalOptions } from './renewal-options.ts';

interface Beginning {
  readonly packageName: string;
  readonly author: Author;
  /** Locks what is due, in order of due time: the first lock of the transaction, except for that of the app's clock. */
  readonly lock: (transaction: Queryable) => Promise<readonly LockedDueSubscription[]>;
  /** In an advance the whole app is leased, so an open attempt was left by a server that died. */
  readonly isAdvance: boolean;
}

export interface BegunRenewal {
  readonly firstPurchaseId: string;
  readonly dueTime: number;
  /** When it began, an instant of the app. */
  readonly instant: number;
  readonly work: 'attempt' | 'retry' | 'noCharge';
  /** Undefined if the subscription expires, or its open charge will not be sent again: which of the two is decided when it is written. */
  readonly charge: Charge | undefined;
  /** When the first of the latest tries of the charge without an answer failed, in real time. */
  readonly unansweredSince: number | null;
  /** The last real instant at which the charge may be sent. */
  readonly sendableUntil: number;
}

/** Returns what begins, in order of due time; nothing while the app is paused, held, or advanced by another call. */
export function beginRenewals(
  options: RenewalOptions,
  { packageName, author, lock, isAdvance }: Beginning,
): Promise<BegunRenewal[]> {
  return options.database.transaction({ packageName }, async (transaction) => {
    if (!isAdvance && (await isBeingAdvanced(transaction, options, packageName))) return [];
    const due = await lock(transaction);
    if (due.length === 0) return [];
    const { now, realNow, hold } = await options.clock.read(transaction, packageName);
    if (hold !== undefined) return [];
    const firstPurchaseIds = due.map((row) => row.firstPurchaseId);
    const newest = await findNewestAttempts(transaction, { packageName, firstPurchaseIds });
    const { isDistributed } = options.database;
    if (await shareRenewals(transaction, { packageName, isDistributed })) return [];
    const sendableUntil = realNow + chargeSendMs;
    const begun = due.flatMap((row) => {
      const { firstPurchaseId, dueTime } = row;
      const last = newest.get(firstPurchaseId);
      if (!isAdvance && isLeased(last?.leaseUntil, realNow, attemptLeaseMs)) return [];
      const instant = isAdvance ? dueTime : happensAt(options, dueTime, now);
      const decided = decide(options, { row, last, instant });
      return decided ? [{ ...decided, firstPurchaseId, dueTime, instant, sendableUntil }] : [];
    });
    await writeBegun(transaction, { ...options, packageName, author, begun, realNow });
    return begun;
  });
}

interface Begun extends Pick<RenewalOptions, 'holder'> {
  readonly packageName: string;
  readonly author: Author;
  readonly begun: readonly BegunRenewal[];
  readonly realNow: number;
}

/** Writes new attempts, and acquires the lease of those that are retried. */
async function writeBegun(
  transaction: Queryable,
  { packageName, author, begun, realNow, holder }: Begun,
): Promise<void> {
  const lease = { holder, until: realNow + attemptLeaseMs };
  const attempts = begun.flatMap(({ work, charge, dueTime, instant }) =>
    work === 'attempt' && charge ? [{ ...charge, dueTime, begunTime: instant }] : [],
  );
  await beginAttempts(transaction, packageName, attempts, { lease, author });
  const retried = begun.filter(({ work }) => work === 'retry');
  const firstPurchaseIds = retried.map((one) => one.firstPurchaseId);
  await retryAttempts(transaction, { packageName, firstPurchaseIds }, lease);
}

interface DueItem {
  readonly row: SubscriptionRow;
  readonly last: AttemptRow | undefined;
  readonly instant: number;
}

function decide(
  options: RenewalOptions,
  { row, last, instant }: DueItem,
): Pick<BegunRenewal, 'work' | 'charge' | 'unansweredSince'> | undefined {
  const subscription = renewableFromRow(row);
  const due = decideDueWork(subscription, { now: instant, newest: last });
  if (due === undefined) {
    const { packageName: app, firstPurchaseId } = row;
    // No server marks a charge as open without an open attempt.
    const isStuck = (dueTimeOf(subscription) ?? Infinity) <= instant;
    if (isStuck) logAlert(options.log, 'subscriptionsStuck', { app, firstPurchaseId });
    return undefined;
  }
  if (due.kind === 'attempt') {
    const idempotencyKey = keyOf(options, row, due.number);
    const charge = chargeOf(row, { ...due.number, idempotencyKey });
    return { work: 'attempt', charge, unansweredSince: null };
  }
  if (due.kind === 'retry' && last !== undefined)
    return { work: 'retry', charge: chargeOf(row, last), unansweredSince: last.unansweredSince };
  return { work: 'noCharge', charge: undefined, unansweredSince: null };
}

function keyOf({ installationId }: RenewalOptions, row: SubscriptionRow, number: AttemptNumber): string {
  const installation = installationId.toString('hex');
  const packageName = row.packageName as PackageName;
  const firstPurchaseId = row.firstPurchaseId as PurchaseId;
  return idempotencyKeyOf({ installation, packageName, firstPurchaseId, ...number });
}

function chargeOf(
  row: SubscriptionRow,
  { idempotencyKey, periodIndex, attempt }: AttemptNumber & { readonly idempotencyKey: string },
): Charge {
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
