// The second transaction of a batch: under the locks of its subscriptions it looks again whether each attempt
// is still open, and writes months, subscriptions, outcomes and events together.

import { decideFallenDue, nextTryTime } from '../../../domain/subscriptions/renewal.ts';
import type { Queryable } from '../../../store/connection/database.ts';
import { appendEvents } from '../../../store/events/events.ts';
import {
  type AttemptRow,
  findNewestAttempts,
  lockDueSubscriptions,
  postponeAttempts,
  settleAttempts,
} from '../../../store/subscriptions/renewal-attempts.ts';
import { updateRenewedSubscriptions } from '../../../store/subscriptions/renewed-subscriptions.ts';
import type { HeldSubscription } from '../../../store/subscriptions/subscriptions.ts';
import { subscriptionOf } from '../subscription-view.ts';
import {
  decideAndInsertMonths,
  eventsOf,
  renewedRow,
  type Settleable,
  type Settled,
  voidPaidInVain,
} from './paid-months.ts';
import type { Answered, AnsweredCharge, RenewalBatch, RenewalParts } from './renewal-batch.ts';

interface SettleResult {
  readonly settled: number;
  readonly open: number;
  /** Their subscriptions are held by somebody else: nothing is written for them. */
  readonly passedOver: readonly Answered[];
}

/** With `passOverHeld`, subscriptions that somebody else holds are left for another transaction. */
export function settle(
  parts: RenewalParts,
  batch: RenewalBatch,
  { answered, passOverHeld }: { readonly answered: readonly Answered[]; readonly passOverHeld: boolean },
): Promise<SettleResult> {
  const { packageName } = batch;
  const record = answered.length === 1 ? (answered[0]?.firstPurchaseId ?? '') : 'settle renewals';
  return parts.database.transaction({ packageName, record }, async (transaction) => {
    const now = await batch.holdNow(transaction);
    const firstPurchaseIds = answered.map((one) => one.firstPurchaseId);
    const keys = { packageName, firstPurchaseIds };
    const rows = await lockDueSubscriptions(transaction, keys, { passOverHeld });
    const newest = await findNewestAttempts(transaction, keys);
    const sorted = sortAnswered(parts, inOrder(batch, answered, now), { rows, newest });
    await postponeAttempts(transaction, packageName, sorted.postponed);
    const settled = await decideAndInsertMonths(transaction, parts, sorted.settleable);
    await writeSettled(transaction, packageName, settled);
    const written = [...settled, ...sorted.postponed].map(({ instant }) => instant);
    if (written.length > 0) await batch.alongside?.(transaction, Math.max(...written));
    const voidedTimes = await voidPaidInVain(transaction, packageName, settled);
    const events = settled.flatMap((one) => eventsOf(one, voidedTimes));
    await appendEvents(transaction, packageName, events, batch.author);
    parts.crashPoints('beforeCommit');
    const { passedOver, postponed } = sorted;
    return { settled: settled.length, open: postponed.length, passedOver };
  });
}

/** Each with the instant at which it happens, in order. */
function inOrder({ happensAt }: RenewalBatch, answered: readonly Answered[], now: number): Answered[] {
  const happening = happensAt === 'now' ? answered.map((one) => ({ ...one, instant: now })) : answered;
  return happening.toSorted((left, right) => left.instant - right.instant || left.position - right.position);
}

interface Postponed {
  readonly firstPurchaseId: string;
  readonly nextTryTime: number;
  readonly instant: number;
}

interface SortedAnswers {
  readonly settleable: Settleable[];
  readonly postponed: Postponed[];
  readonly passedOver: Answered[];
}

function sortAnswered(
  parts: RenewalParts,
  answered: readonly Answered[],
  found: {
    readonly rows: readonly HeldSubscription[];
    readonly newest: ReadonlyMap<string, AttemptRow>;
  },
): SortedAnswers {
  const rowOf = new Map(found.rows.map((row) => [row.firstPurchaseId, row]));
  const sorted: SortedAnswers = { settleable: [], postponed: [], passedOver: [] };
  for (const one of answered) {
    const row = rowOf.get(one.firstPurchaseId);
    const newest = found.newest.get(one.firstPurchaseId);
    if (row === undefined) sorted.passedOver.push(one);
    else if (one.kind === 'expiry') {
      if (isExpiryDue(row, one.instant)) sorted.settleable.push({ row, instant: one.instant });
    } else sortCharge(parts, one, { row, newest, sorted });
  }
  return sorted;
}

/** A reactivation may have come in between. */
function isExpiryDue(row: HeldSubscription, now: number): boolean {
  return decideFallenDue({ ...row, ...subscriptionOf(row) }, { now, newest: undefined })?.kind === 'expiry';
}

function sortCharge(
  parts: RenewalParts,
  answered: AnsweredCharge,
  { row, newest, sorted }: { row: HeldSubscription; newest: AttemptRow | undefined; sorted: SortedAnswers },
): void {
  const { charge, outcome, instant, tries, firstPurchaseId } = answered;
  if (newest?.idempotencyKey !== charge.idempotencyKey || newest.outcome !== null) {
    tellContradiction(parts, answered, newest);
  } else if (outcome !== 'pending' && outcome !== 'unknown') {
    const { periodIndex, attempt } = charge;
    sorted.settleable.push({ row, instant, answer: { periodIndex, attempt, outcome } });
  } else if (newest.leaseHolder === parts.holder) {
    sorted.postponed.push({ firstPurchaseId, nextTryTime: nextTryTime(tries, instant), instant });
  }
}

/** Another server has settled the attempt meanwhile: with the same outcome, unless the gateway is at fault. */
function tellContradiction(
  { log, environment }: RenewalParts,
  { charge, outcome }: AnsweredCharge,
  newest: AttemptRow | undefined,
): void {
  // That of the sandbox answers by the faults of each try, and its app may have been emptied meanwhile.
  if (outcome !== 'paid' || environment === 'sandbox' || newest === undefined) return;
  if (newest.idempotencyKey === charge.idempotencyKey && newest.outcome === outcome) return;
  const { idempotencyKey } = charge;
  log.error({ idempotencyKey, outcome }, 'the payment gateway answered twice, and differently');
}

async function writeSettled(
  transaction: Queryable,
  packageName: string,
  settled: readonly Settled[],
): Promise<void> {
  await updateRenewedSubscriptions(transaction, packageName, settled.map(renewedRow));
  const attempts = settled.flatMap(({ row, outcome, month, instant }) => {
    const { firstPurchaseId } = row;
    const purchaseId = month?.purchaseId ?? null;
    return outcome === undefined ? [] : [{ firstPurchaseId, outcome, settledTime: instant, purchaseId }];
  });
  await settleAttempts(transaction, packageName, attempts);
}
