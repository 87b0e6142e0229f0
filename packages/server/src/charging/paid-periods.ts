// Applies definite answers and expiries to locked subscriptions: inserts the paid periods, voids those that were paid after
// the end, and derives the events.

import type { EventType, ExpiryReason, VoidCause } from '@opentill/contract/events.ts';
import { generatedPurchaseId, type PurchaseId, purchaseIdDigits } from '../domain/identifiers.ts';
import type { CancelReason } from '../domain/purchases/purchase.ts';
import type { AttemptNumber, Settlement } from '../domain/subscriptions/renewal.ts';
import {
  describeNewestPeriod,
  describeRecurringPurchase,
  type PaidPeriod,
  type Subscription,
} from '../domain/subscriptions/subscription.ts';
import type { StoreClock } from '../store/clocks/store-clock.ts';
import type { Queryable } from '../store/connection/database.ts';
import { type Author, assignVoidOrder, type NewEvent } from '../store/events/events.ts';
import type { PurchaseRow } from '../store/purchases/purchases.ts';
import { newPurchaseState, recordedColumns } from '../store/purchases/recorded-purchases.ts';
import { lockVoids, markVoided } from '../store/purchases/voided-purchases.ts';
import type { ListedAttempt } from '../store/subscriptions/attempt-lists.ts';
import type { AttemptChange, Unanswered } from '../store/subscriptions/renewal-attempts.ts';
import { insertPeriods, type RenewedSubscription } from '../store/subscriptions/renewed-subscriptions.ts';
import { type SubscriptionRow, subscriptionFromRow } from '../store/subscriptions/subscriptions.ts';
import type { SettlingOptions } from './renewal-options.ts';

/** A locked subscription that is to be changed. */
export interface Settleable {
  readonly row: SubscriptionRow;
  readonly instant: number;
  /** The id is that of the period, if one is paid. */
  readonly decide: (purchaseId: PurchaseId) => Settlement;
  /** What becomes of its open attempt; undefined if there is none. */
  readonly attempt?: Pick<AttemptChange, 'outcome' | 'nextTryTime' | 'wasPending' | keyof Unanswered> &
    AttemptNumber;
  /** The attempt that was settled as declined and has been paid. */
  readonly latePaid?: ListedAttempt;
}

/** A subscription with its change; a paid period is already inserted. */
export interface Settled extends Omit<Settleable, 'decide'> {
  readonly settlement: Settlement;
  readonly paidPeriod: PaidPeriod | undefined;
}

/** A thousand periods a second draw from 10^8 ids, so this many draws never all hit existing ones. */
const drawsMax = 8;

/** Decides each, in the order given; a period whose drawn id is taken draws another. */
export async function decideAndInsertPeriods(
  transaction: Queryable,
  { environment, randomness, author }: SettlingOptions & { readonly author: Author },
  items: readonly Settleable[],
): Promise<Settled[]> {
  const settled = new Map<Settleable, Settled>();
  let open = items;
  for (let draw = 0; draw < drawsMax && open.length > 0; draw += 1) {
    const decided = open.map((item) => {
      const digits = randomness.digits(purchaseIdDigits);
      const purchaseId = generatedPurchaseId({ environment, now: item.instant, digits });
      const settlement = item.decide(purchaseId);
      return {
        item,
        ...item,
        settlement,
        paidPeriod: 'paidPeriod' in settlement ? settlement.paidPeriod : undefined,
      };
    });
    const periods = decided.flatMap((one) =>
      one.paidPeriod === undefined ? [] : purchaseOf(one, one.paidPeriod, author),
    );
    const inserted = await insertDistinct(transaction, periods);
    for (const one of decided) {
      if (one.paidPeriod === undefined || inserted.has(one.row.firstPurchaseId)) settled.set(one.item, one);
    }
    open = open.filter((item) => !settled.has(item));
  }
  if (open.length > 0) throw new Error(`Each of ${drawsMax} drawn purchase ids was taken.`);
  return items.flatMap((item) => settled.get(item) ?? []);
}

/** Returns the subscriptions whose period was inserted; if two drew the same id, one of them has to draw again. */
async function insertDistinct(
  transaction: Queryable,
  periods: readonly PurchaseRow[],
): Promise<ReadonlySet<string | null>> {
  const [first] = periods;
  if (first === undefined) return new Set();
  const byId = new Map(periods.map((paidPeriod) => [paidPeriod.purchaseId, paidPeriod]));
  const inserted = await insertPeriods(transaction, first.packageName, [...byId.values()]);
  return new Set(inserted.map((purchaseId) => byId.get(purchaseId)?.firstPurchaseId ?? null));
}

function purchaseOf({ row, instant }: Settled, paidPeriod: PaidPeriod, author: Author): PurchaseRow {
  const { packageName, productId, buyerId, currency, firstPurchaseId } = row;
  return {
    ...newPurchaseState,
    ...recordedColumns({ ...author, clientAddress: null }),
    ...{ packageName, productId, buyerId, currency, firstPurchaseId },
    ...paidPeriod,
    orderId: null,
    purchaseTime: instant,
  };
}

/** The change of the subscription itself, without the period that was paid after its end. */
function changeOf(settlement: Settlement): Exclude<Settlement, { readonly kind: 'paidAfterEnd' }> {
  return settlement.kind === 'paidAfterEnd' ? settlement.expiry : settlement;
}

function changedSubscription({ row, settlement }: Settled): Subscription {
  const change = changeOf(settlement);
  return 'changed' in change ? change.changed : subscriptionFromRow(row);
}

/** The subscription as it is written. */
export function renewedRow(settled: Settled): RenewedSubscription {
  const { row, settlement, attempt } = settled;
  const expiryEventWritten = row.expiryEventWritten || changeOf(settlement).kind in expiryReasons;
  const openChargeTime = attempt === undefined ? row.openChargeTime : attempt.nextTryTime;
  return { ...changedSubscription(settled), expiryEventWritten, openChargeTime };
}

/** The open attempt as it is written, if there is one. */
export function attemptChanges({ row, attempt, paidPeriod, instant }: Settled): AttemptChange[] {
  if (attempt === undefined) return [];
  const settledTime = attempt.outcome === null ? null : instant;
  const purchaseId = paidPeriod?.purchaseId ?? null;
  return [{ firstPurchaseId: row.firstPurchaseId, ...attempt, settledTime, purchaseId }];
}

/** The store, not the customer, cancels such a period. */
const voidReasonAfterEnd: CancelReason = '1';
const voidCauseAfterEnd: VoidCause = 'system';

interface Voids {
  readonly settled: readonly Settled[];
  readonly voidedBy: string;
  /** Dates the voids outside an advance. */
  readonly clock: StoreClock;
  /** In an advance each void has the instant of its period, and is not before this one. */
  readonly advancedFrom: number | undefined;
}

/**
 * Puts the periods that were paid after the end on the voided list, so that the store refunds them, and returns when each
 * was voided. Locks the voids of the app and its counter row.
 */
export async function voidPaidAfterEnd(
  transaction: Queryable,
  packageName: string,
  { settled, voidedBy, clock, advancedFrom }: Voids,
): Promise<ReadonlyMap<PurchaseId, number>> {
  const voidedTimes = new Map<PurchaseId, number>();
  const paidAfterEnd = settled.flatMap(({ settlement, instant }) =>
    settlement.kind === 'paidAfterEnd' ? { purchaseId: settlement.paidPeriod.purchaseId, instant } : [],
  );
  if (paidAfterEnd.length === 0) return voidedTimes;
  await lockVoids(transaction, packageName);
  const earliest = advancedFrom ?? (await clock.read(transaction, packageName)).now;
  for (const { purchaseId, instant } of paidAfterEnd) {
    const now = Math.max(instant, earliest);
    const { voidedTime, voidOrder } = await assignVoidOrder(transaction, packageName, now);
    const voiding = {
      voidedTime,
      voidOrder,
      voidReason: voidReasonAfterEnd,
      voidCause: voidCauseAfterEnd,
      expiryTime: null,
      voidedBy,
    };
    await markVoided(transaction, { packageName, purchaseId }, voiding);
    voidedTimes.set(purchaseId, voidedTime);
  }
  return voidedTimes;
}

const eventTypes = {
  renewed: ['subscription.renewed'],
  failed: ['subscription.payment_failed'],
  failedForGood: ['subscription.payment_failed', 'subscription.expired'],
  expired: ['subscription.expired'],
  overdue: ['subscription.expired'],
  nothing: [],
} as const satisfies Record<ReturnType<typeof changeOf>['kind'], readonly EventType[]>;

const expiryReasons: Readonly<Partial<Record<Settlement['kind'], ExpiryReason>>> = {
  failedForGood: 'declined',
  expired: 'cancelled',
  overdue: 'overdue',
};

/** The events of a change, in order. */
export function eventsOf(settled: Settled, voidedTimes: ReadonlyMap<PurchaseId, number>): NewEvent[] {
  const { row, settlement, paidPeriod, attempt, instant: eventTime } = settled;
  const { firstPurchaseId, productId } = row;
  const subscription = changedSubscription(settled);
  const { kind } = changeOf(settlement);
  const events = eventTypes[kind].map((type): NewEvent => {
    const purchaseId = subscription.lastPurchaseId;
    const record = describeNewestPeriod(subscription);
    const event = { type, eventTime, purchaseId, firstPurchaseId, productId, record };
    if (type === 'subscription.payment_failed') return { ...event, attempt: attempt?.attempt };
    const expiryReason = expiryReasons[kind];
    return type !== 'subscription.expired' || expiryReason === undefined ? event : { ...event, expiryReason };
  });
  if (settlement.kind !== 'paidAfterEnd' || paidPeriod === undefined) return events;
  const { purchaseId } = paidPeriod;
  const voidedTime = voidedTimes.get(purchaseId) ?? eventTime;
  const voided = { ...paidPeriod, voidedTime, voidReason: voidReasonAfterEnd };
  const ofPeriod = { purchaseId, firstPurchaseId, productId };
  const recordOf = (shown: PaidPeriod) => describeRecurringPurchase(subscription, shown);
  return [
    ...events,
    { ...ofPeriod, type: 'purchase.completed', eventTime, record: recordOf(paidPeriod) },
    { ...ofPeriod, type: 'purchase.voided', eventTime: voidedTime, record: recordOf(voided) },
  ];
}
