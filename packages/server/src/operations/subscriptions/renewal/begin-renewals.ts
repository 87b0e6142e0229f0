// First transaction of a renewal: decides what is due for locked subscriptions, and records an attempt with its key
// and a lease for each charge (docs/decisions/subscriptions.md).

import { attemptLeaseMs, chargeSendMs } from '../../../domain/clocks/leases.ts';
import type { PackageName, PurchaseId } from '../../../domain/identifiers.ts';
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
import type { DueRenewal } from '../../../store/subscriptions/due-renewals.ts';
import {
  type AttemptRow,
  beginAttempts,
  clearOpenCharges,
  type NewAttempt,
  retryAttempts,
} from '../../../store/subscriptions/renewal-attempts.ts';
import { shareRenewals } from '../../../store/subscriptions/renewal-pauses.ts';
import { type LockedSubscription, renewableFromRow } from '../../../store/subscriptions/subscriptions.ts';
import type { Charge } from '../gateways/payment-gateway.ts';
import type { RenewalOptions } from './renewal-options.ts';

interface BegunItem {
  readonly firstPurchaseId: string;
  /** When it began, an instant of the app. */
  readonly instant: number;
  readonly window: ChargeWindow;
}

export interface BegunCharge extends BegunItem {
  readonly kind: 'charge';
  readonly charge: Charge;
  /** How often it has been sent, including this time. */
  readonly tries: number;
  /** The last real instant at which it may be sent. */
  readonly sendableUntil: number;
}

/** The subscription expires, or a conflict holds it: which of the two is decided when it is written. */
export interface BegunWithoutCharge extends BegunItem {
  readonly kind: 'noCharge';
}

export type BegunRenewal = BegunCharge | BegunWithoutCharge;

interface DueItems {
  readonly packageName: string;
  readonly author: Author;
  /** The real instant of the decision, which leases count from. */
  readonly realNow: number;
  /** Each with the instant of the app at which it happens. */
  readonly items: readonly (DueRenewal & { readonly instant: number })[];
  /** Locked by the transaction; an item without its row is skipped. */
  readonly rows: readonly LockedSubscription[];
  readonly newest: ReadonlyMap<string, AttemptRow>;
}

/** Returns what was due, in the order of the items; nothing while renewals of the app are paused. */
export async function beginRenewals(
  transaction: Queryable,
  options: RenewalOptions,
  { packageName, author, realNow, items, rows, newest }: DueItems,
): Promise<BegunRenewal[]> {
  const { isPaused, resumedAt } = await shareRenewals(transaction, packageName);
  if (isPaused) return [];
  const window = { graceMs: options.graceMs, resumedTime: resumedAt ?? undefined };
  const sendableUntil = realNow + chargeSendMs;
  const begun: BegunRenewal[] = [];
  const attempts: NewAttempt[] = [];
  const retried: string[] = [];
  const stuck: string[] = [];
  const due = await withoutLoneMarks(transaction, options, { packageName, rows, newest });
  const rowOf = new Map(due.map((row) => [row.firstPurchaseId, row]));
  for (const { firstPurchaseId, dueTime, instant } of items) {
    const row = rowOf.get(firstPurchaseId);
    if (row === undefined) continue;
    const last = newest.get(firstPurchaseId);
    const subscription = renewableFromRow(row);
    const work = decideDueWork(subscription, { now: instant, newest: last, window });
    if (work === undefined && (dueTimeOf(subscription) ?? Infinity) <= instant) stuck.push(firstPurchaseId);
    const item = { firstPurchaseId, instant, window };
    if (work?.kind === 'attempt') {
      const idempotencyKey = keyOf(options, row, work.number);
      const attempt = { firstPurchaseId, ...work.number, idempotencyKey, dueTime, begunTime: instant };
      attempts.push(attempt);
      begun.push({ kind: 'charge', ...item, charge: chargeOf(row, attempt), tries: 1, sendableUntil });
    } else if (work?.kind === 'retry' && last !== undefined) {
      retried.push(firstPurchaseId);
      const tries = last.tries + 1;
      begun.push({ kind: 'charge', ...item, charge: chargeOf(row, last), tries, sendableUntil });
    } else if (work !== undefined) begun.push({ kind: 'noCharge', ...item });
  }
  if (stuck.length > 0)
    logAlert(options.log, 'subscriptionsStuck', { app: packageName, firstPurchaseIds: stuck });
  const lease = { holder: options.holder, until: realNow + attemptLeaseMs };
  await beginAttempts(transaction, packageName, attempts, { lease, author });
  await retryAttempts(transaction, { packageName, firstPurchaseIds: retried }, lease);
  return begun;
}

/**
 * The rows, of which none is marked as having an open charge without an open attempt: no server writes such a mark, and
 * nothing would ever be due for it.
 */
async function withoutLoneMarks(
  transaction: Queryable,
  { log }: RenewalOptions,
  { packageName, rows, newest }: Pick<DueItems, 'packageName' | 'rows' | 'newest'>,
): Promise<readonly LockedSubscription[]> {
  const isLone = ({ openChargeTime, firstPurchaseId }: LockedSubscription) =>
    openChargeTime !== null && newest.get(firstPurchaseId)?.outcome !== null;
  const firstPurchaseIds = rows.filter(isLone).map((row) => row.firstPurchaseId);
  if (firstPurchaseIds.length === 0) return rows;
  log.warn({ app: packageName, firstPurchaseIds }, 'subscriptions had an open charge without an attempt');
  await clearOpenCharges(transaction, { packageName, firstPurchaseIds });
  return rows.map((row) => (isLone(row) ? { ...row, openChargeTime: null } : row));
}

function keyOf({ installationId }: RenewalOptions, row: LockedSubscription, number: AttemptNumber): string {
  const installation = installationId.toString('hex');
  const packageName = row.packageName as PackageName;
  const firstPurchaseId = row.firstPurchaseId as PurchaseId;
  return idempotencyKeyOf({ installation, packageName, firstPurchaseId, ...number });
}

function chargeOf(
  row: LockedSubscription,
  { idempotencyKey, periodIndex, attempt }: Pick<AttemptRow, 'idempotencyKey' | 'periodIndex' | 'attempt'>,
): Charge {
  return {
    idempotencyKey,
    packageName: row.packageName,
    productId: row.productId,
    firstPurchaseId: row.firstPurchaseId,
    buyerId: row.buyerId,
    developerPayload: row.developerPayload,
    periodIndex,
    attempt,
    price: row.price,
    currency: row.currency,
    startTime: row.expiryTime,
  };
}
