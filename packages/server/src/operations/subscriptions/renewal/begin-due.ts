// The first transaction of a batch: under the locks of its subscriptions it looks again at what is due,
// records the attempts to charge, with their keys and a lease.

import type { PackageName, PurchaseId } from '../../../domain/identifiers.ts';
import {
  type AttemptNumber,
  decideFallenDue,
  idempotencyKeyOf,
} from '../../../domain/subscriptions/renewal.ts';
import type { Queryable } from '../../../store/connection/database.ts';
import { isUniqueViolation } from '../../../store/connection/database-failure.ts';
import {
  type AttemptRow,
  attemptKeyIndex,
  beginAttempts,
  findNewestAttempts,
  lockDueSubscriptions,
  type NewAttempt,
  repeatAttempts,
} from '../../../store/subscriptions/renewal-attempts.ts';
import type { HeldSubscription } from '../../../store/subscriptions/subscriptions.ts';
import type { Charge } from '../gateways/payment-gateway.ts';
import { subscriptionOf } from '../subscription-view.ts';
import {
  type BegunCharge,
  type BegunExpiry,
  instantOf,
  type RenewalBatch,
  type RenewalParts,
} from './renewal-batch.ts';

/** A lease outlives the charge and the transaction that settles it, in ms; after it anybody may repeat. */
const attemptLeaseMs = 20_000;

/** Both in the order of the batch's items. */
export interface Begun {
  readonly charges: readonly BegunCharge[];
  readonly expiries: readonly BegunExpiry[];
}

export async function beginDue(parts: RenewalParts, batch: RenewalBatch): Promise<Begun> {
  try {
    return await begin(parts, batch, hasTried);
  } catch (error) {
    if (!isUniqueViolation(error, attemptKeyIndex)) throw error;
    return begin(parts, batch, () => true);
  }
}

/**
 * Before the first attempt of a month nextPaymentTime is the expiryTime, and there is none to find. A
 * reactivation by a server whose clock is behind may have put it back after one: its key is then taken.
 */
function hasTried(row: HeldSubscription): boolean {
  return row.openChargeTime !== null || row.nextPaymentTime !== row.expiryTime;
}

function begin(
  parts: RenewalParts,
  batch: RenewalBatch,
  mayHaveTried: (row: HeldSubscription) => boolean,
): Promise<Begun> {
  const { packageName, items } = batch;
  const scope = { packageName, record: 'begin renewals' };
  return parts.database.transaction(scope, async (transaction) => {
    const now = await batch.holdNow(transaction);
    const firstPurchaseIds = items.map((item) => item.firstPurchaseId);
    const keys = { packageName, firstPurchaseIds };
    // Where a clock is moved, all happens in order: then a subscription that somebody holds is waited for.
    const rows = await lockDueSubscriptions(transaction, keys, { passOverHeld: batch.happensAt === 'now' });
    const newest = await findAttempts(transaction, packageName, rows.filter(mayHaveTried));
    const due = sortDue(parts, batch, { rows, newest, now });
    const lease = { holder: parts.holder, until: parts.clock.now() + attemptLeaseMs };
    await beginAttempts(transaction, packageName, due.attempts, { lease, author: batch.author });
    await repeatAttempts(transaction, { packageName, firstPurchaseIds: due.repeated }, lease);
    return due;
  });
}

async function findAttempts(
  transaction: Queryable,
  packageName: string,
  rows: readonly HeldSubscription[],
): Promise<ReadonlyMap<string, AttemptRow>> {
  if (rows.length === 0) return new Map();
  return findNewestAttempts(transaction, {
    packageName,
    firstPurchaseIds: rows.map((row) => row.firstPurchaseId),
  });
}

interface SortedDue extends Begun {
  readonly charges: BegunCharge[];
  readonly expiries: BegunExpiry[];
  /** Of the charges: those that are new, and the subscriptions of the others. */
  readonly attempts: NewAttempt[];
  readonly repeated: string[];
}

function sortDue(
  parts: RenewalParts,
  batch: RenewalBatch,
  found: {
    readonly rows: readonly HeldSubscription[];
    readonly newest: ReadonlyMap<string, AttemptRow>;
    readonly now: number;
  },
): SortedDue {
  const due: SortedDue = { charges: [], expiries: [], attempts: [], repeated: [] };
  const rowOf = new Map(found.rows.map((row) => [row.firstPurchaseId, row]));
  for (const [position, item] of batch.items.entries()) {
    const { firstPurchaseId, dueTime } = item;
    const row = rowOf.get(firstPurchaseId);
    if (row === undefined) continue;
    // Twice in one batch, it is looked at once.
    rowOf.delete(firstPurchaseId);
    const newest = found.newest.get(firstPurchaseId);
    const begun = { firstPurchaseId, instant: instantOf(batch, item, found.now), position };
    const fallen = decideFallenDue({ ...row, ...subscriptionOf(row) }, { now: begun.instant, newest });
    if (fallen?.kind === 'expiry') due.expiries.push({ kind: 'expiry', ...begun });
    else if (fallen?.kind === 'attempt') {
      const idempotencyKey = keyOf(row, fallen.number);
      const attempt = {
        firstPurchaseId,
        ...fallen.number,
        idempotencyKey,
        dueTime,
        begunTime: begun.instant,
      };
      due.attempts.push(attempt);
      due.charges.push({ kind: 'charge', ...begun, charge: chargeOf(row, attempt), tries: 1 });
    } else if (fallen?.kind === 'repeat' && newest !== undefined) {
      if (batch.respectsLeases && !isFree(newest, parts)) continue;
      due.repeated.push(firstPurchaseId);
      due.charges.push({ kind: 'charge', ...begun, charge: chargeOf(row, newest), tries: newest.tries + 1 });
    }
  }
  return due;
}

function isFree({ leaseUntil }: AttemptRow, { clock }: RenewalParts): boolean {
  return leaseUntil === null || leaseUntil <= clock.now();
}

function keyOf(row: HeldSubscription, number: AttemptNumber): string {
  const packageName = row.packageName as PackageName;
  return idempotencyKeyOf({ packageName, firstPurchaseId: row.firstPurchaseId as PurchaseId, ...number });
}

function chargeOf(
  row: HeldSubscription,
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
