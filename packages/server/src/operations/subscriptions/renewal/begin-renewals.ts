// First transaction of a renewal: decides what is due for the subscriptions of a batch, and records an attempt with its key
// and a lease for each charge (docs/decisions/subscriptions.md).

import { attemptLeaseMs, chargeSendMs, isLeased } from '../../../domain/clocks/leases.ts';
import type { PackageName, PurchaseId } from '../../../domain/identifiers.ts';
import { isAdvancing } from '../../../domain/sandbox/app-clock.ts';
import {
  type AttemptNumber,
  type ChargeWindow,
  decideDueWork,
  dueTimeOf,
  idempotencyKeyOf,
} from '../../../domain/subscriptions/renewal.ts';
import { logAlert } from '../../../runtime/alert-lines.ts';
import type { Queryable } from '../../../store/connection/database.ts';
import type { Author } from '../../../store/events/events.ts';
import { lockAppClockShared } from '../../../store/sandbox/app-clocks.ts';
import type { DueRenewal } from '../../../store/subscriptions/due-renewals.ts';
import {
  type AttemptRow,
  beginAttempts,
  findNewestAttempts,
  lockDueSubscriptions,
  retryAttempts,
} from '../../../store/subscriptions/renewal-attempts.ts';
import { shareRenewals } from '../../../store/subscriptions/renewal-pauses.ts';
import { type LockedSubscription, renewableFromRow } from '../../../store/subscriptions/subscriptions.ts';
import type { Charge } from '../gateways/payment-gateway.ts';
import type { RenewalOptions } from './renewal-options.ts';

export interface RenewalBatch {
  readonly packageName: string;
  readonly author: Author;
  /** In order of due time. */
  readonly due: readonly DueRenewal[];
  /** Aborts charges in flight: they stay open. */
  readonly charging?: AbortSignal;
  /** The lease of the app's clock, in an advance of it; `move` returns false if the lease is lost. */
  readonly clock?: {
    readonly now: number;
    move(transaction: Queryable, appTime: number): Promise<boolean>;
  };
}

export interface BegunRenewal {
  readonly firstPurchaseId: string;
  readonly dueTime: number;
  /** When it began, an instant of the app. */
  readonly instant: number;
  readonly window: ChargeWindow;
  readonly work: 'attempt' | 'retry' | 'noCharge';
  /** Undefined if the subscription expires or a conflict holds it: which of the two is decided when it is written. */
  readonly charge: Charge | undefined;
  /** When the first of the latest tries of the charge without an answer failed, in real time. */
  readonly unansweredSince: number | null;
  /** The last real instant at which the charge may be sent. */
  readonly sendableUntil: number;
}

/**
 * Returns what is due, in order; nothing while the app is paused or held. The job skips what is locked or leased
 * elsewhere, but in an advance the whole app is leased, so an open attempt was left by a server that died.
 */
export function beginBatch(
  options: RenewalOptions,
  { packageName, author, due, clock }: RenewalBatch,
): Promise<BegunRenewal[]> {
  const isJob = clock === undefined;
  return options.database.transaction({ packageName }, async (transaction) => {
    if (isJob && (await isBeingAdvanced(transaction, options, packageName))) return [];
    const keys = { packageName, firstPurchaseIds: due.map((item) => item.firstPurchaseId) };
    const rows = await lockDueSubscriptions(transaction, keys, { skipLocked: isJob });
    const { now, realNow, hold } = await options.clock.read(transaction, packageName);
    if (hold !== undefined) return [];
    const newest = await findNewestAttempts(transaction, keys);
    const { isPaused, resumedAt } = await shareRenewals(transaction, packageName);
    if (isPaused) return [];
    const window = { graceMs: options.graceMs, resumedTime: resumedAt ?? undefined };
    const sendableUntil = realNow + chargeSendMs;
    const rowOf = new Map(rows.map((row) => [row.firstPurchaseId, row]));
    const begun = due.flatMap(({ firstPurchaseId, dueTime }) => {
      const row = rowOf.get(firstPurchaseId);
      const last = newest.get(firstPurchaseId);
      if (row === undefined || (isJob && isLeased(last?.leaseUntil, realNow, attemptLeaseMs))) return [];
      const instant = happensAt(options, dueTime, { now, isJob });
      const decided = decide(options, { row, last, instant, window });
      return decided ? [{ ...decided, firstPurchaseId, dueTime, instant, window, sendableUntil }] : [];
    });
    const lease = { holder: options.holder, until: realNow + attemptLeaseMs };
    const attempts = begun.flatMap(({ work, charge, dueTime, instant }) =>
      work === 'attempt' && charge ? [{ ...charge, dueTime, begunTime: instant }] : [],
    );
    await beginAttempts(transaction, packageName, attempts, { lease, author });
    const retried = begun.filter(({ work }) => work === 'retry');
    const firstPurchaseIds = retried.map((one) => one.firstPurchaseId);
    await retryAttempts(transaction, { packageName, firstPurchaseIds }, lease);
    return begun;
  });
}

interface DueItem {
  readonly row: LockedSubscription;
  readonly last: AttemptRow | undefined;
  readonly instant: number;
  readonly window: ChargeWindow;
}

function decide(
  options: RenewalOptions,
  { row, last, instant, window }: DueItem,
): Pick<BegunRenewal, 'work' | 'charge' | 'unansweredSince'> | undefined {
  const subscription = renewableFromRow(row);
  const due = decideDueWork(subscription, { now: instant, newest: last, window });
  // No server marks a charge as open without an open attempt; retries of a settled one would never end.
  const isOrphaned = row.openChargeTime !== null && last?.outcome !== null;
  if (due === undefined || isOrphaned) {
    const { packageName: app, firstPurchaseId } = row;
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

function keyOf({ installationId }: RenewalOptions, row: LockedSubscription, number: AttemptNumber): string {
  const installation = installationId.toString('hex');
  const packageName = row.packageName as PackageName;
  const firstPurchaseId = row.firstPurchaseId as PurchaseId;
  return idempotencyKeyOf({ installation, packageName, firstPurchaseId, ...number });
}

function chargeOf(
  row: LockedSubscription,
  { idempotencyKey, periodIndex, attempt }: AttemptNumber & { readonly idempotencyKey: string },
): Charge {
  const { packageName, productId, firstPurchaseId, buyerId, developerPayload, price, currency } = row;
  const startTime = row.expiryTime;
  return {
    ...{ idempotencyKey, packageName, productId, firstPurchaseId, buyerId, developerPayload },
    ...{ periodIndex, attempt, price, currency, startTime },
  };
}

/** An advance, and in the sandbox what a stopped server missed, happens when it was due; everything else happens now. */
export function happensAt(
  { environment }: RenewalOptions,
  dueTime: number,
  { now, isJob }: { readonly now: number; readonly isJob: boolean },
): number {
  if (!isJob) return dueTime;
  return environment === 'sandbox' ? Math.min(dueTime, now) : now;
}

/**
 * Whether an advance of the app renews everything in its order. In the sandbox it also locks the app's clock, which then
 * does not move until the transaction ends; the first lock of a transaction.
 */
export async function isBeingAdvanced(
  transaction: Queryable,
  { clock, environment }: Pick<RenewalOptions, 'clock' | 'environment'>,
  packageName: string,
): Promise<boolean> {
  if (environment === 'production') return false;
  const appClock = await lockAppClockShared(transaction, packageName);
  if (appClock === undefined || appClock.leaseUntil === null) return false;
  return isAdvancing(appClock, (await clock.read(transaction, packageName)).realNow);
}
