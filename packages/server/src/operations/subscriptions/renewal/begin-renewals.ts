// First transaction of a renewal: decides what is due for locked subscriptions, and records an attempt with its key
// and a lease for each charge (docs/decisions/renewals.md).

import { attemptLeaseMs } from '../../../domain/clocks/leases.ts';
import type { PackageName, PurchaseId } from '../../../domain/identifiers.ts';
import {
  type AttemptNumber,
  type ChargeWindow,
  decideDueWork,
  idempotencyKeyOf,
} from '../../../domain/subscriptions/renewal.ts';
import type { Queryable } from '../../../store/connection/database.ts';
import type { Author } from '../../../store/events/events.ts';
import type { DueRenewal } from '../../../store/subscriptions/due-renewals.ts';
import {
  type AttemptRow,
  beginAttempts,
  type NewAttempt,
  retryAttempts,
} from '../../../store/subscriptions/renewal-attempts.ts';
import { readRenewalState } from '../../../store/subscriptions/renewal-pauses.ts';
import { type LockedSubscription, renewableFromRow } from '../../../store/subscriptions/subscriptions.ts';
import type { Charge } from '../gateways/payment-gateway.ts';
import type { RenewalParts } from './renewal-parts.ts';

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
}

/** The subscription expires; whether that leaves an open attempt unresolved is decided when it is written. */
export interface BegunExpiry extends BegunItem {
  readonly kind: 'expiry';
}

export type BegunRenewal = BegunCharge | BegunExpiry;

interface DueItems {
  readonly packageName: string;
  readonly author: Author;
  /** Each with the instant of the app at which it happens. */
  readonly items: readonly (DueRenewal & { readonly instant: number })[];
  /** Locked by the transaction; an item without its row is skipped. */
  readonly rows: readonly LockedSubscription[];
  readonly newest: ReadonlyMap<string, AttemptRow>;
}

/** Returns what was due, in the order of the items; nothing while renewals of the app are paused. */
export async function beginRenewals(
  transaction: Queryable,
  { clock, holder, graceMs }: RenewalParts,
  { packageName, author, items, rows, newest }: DueItems,
): Promise<BegunRenewal[]> {
  const { isPaused, resumedAt } = await readRenewalState(transaction, packageName);
  if (isPaused) return [];
  const window = { graceMs, resumedTime: resumedAt ?? undefined };
  const begun: BegunRenewal[] = [];
  const attempts: NewAttempt[] = [];
  const retried: string[] = [];
  const rowOf = new Map(rows.map((row) => [row.firstPurchaseId, row]));
  for (const { firstPurchaseId, dueTime, instant } of items) {
    const row = rowOf.get(firstPurchaseId);
    if (row === undefined) continue;
    const last = newest.get(firstPurchaseId);
    const due = decideDueWork(renewableFromRow(row), { now: instant, newest: last, window });
    const item = { firstPurchaseId, instant, window };
    if (due?.kind === 'expiry' || due?.kind === 'unresolved') begun.push({ kind: 'expiry', ...item });
    else if (due?.kind === 'attempt') {
      const idempotencyKey = keyOf(row, due.number);
      const attempt = { firstPurchaseId, ...due.number, idempotencyKey, dueTime, begunTime: instant };
      attempts.push(attempt);
      begun.push({ kind: 'charge', ...item, charge: chargeOf(row, attempt), tries: 1 });
    } else if (due?.kind === 'retry' && last !== undefined) {
      retried.push(firstPurchaseId);
      const tries = last.tries + 1;
      begun.push({ kind: 'charge', ...item, charge: chargeOf(row, last), tries });
    }
  }
  const lease = { holder, until: clock.now() + attemptLeaseMs };
  await beginAttempts(transaction, packageName, attempts, { lease, author });
  await retryAttempts(transaction, { packageName, firstPurchaseIds: retried }, lease);
  return begun;
}

function keyOf(row: LockedSubscription, number: AttemptNumber): string {
  const packageName = row.packageName as PackageName;
  return idempotencyKeyOf({ packageName, firstPurchaseId: row.firstPurchaseId as PurchaseId, ...number });
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
