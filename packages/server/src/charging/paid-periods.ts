// What settled charges change: their paid periods, which are voided if they were paid after the end, the rows of
// subscriptions and attempts, and the events.

import type { EventType, ExpiryReason, VoidCause } from '@opentill/contract/events.ts';
import type { PurchaseId } from '../domain/identifiers.ts';
import type { CancelReason } from '../domain/purchases/purchase.ts';
import type { Settlement } from '../domain/subscriptions/renewal.ts';
import {
  describeNewestPeriod,
  describePeriod,
  type PaidPeriod,
  type Subscription,
} from '../domain/subscriptions/subscription.ts';
import type { StoreClock } from '../store/clocks/store-clock.ts';
import type { Queryable } from '../store/connection/database.ts';
import { type Author, assignVoidOrder, type NewEvent } from '../store/events/events.ts';
import { newPurchaseState, recordedColumns } from '../store/purchases/recorded-purchases.ts';
import { lockVoids, markVoided } from '../store/purchases/voided-purchases.ts';
import type { AttemptChange } from '../store/subscriptions/renewal-attempts.ts';
import { insertPeriods, type RenewedSubscription } from '../store/subscriptions/renewed-subscriptions.ts';
import { subscriptionFromRow } from '../store/subscriptions/subscriptions.ts';
import type { SettledCharge } from './charges.ts';

/** The period that a settlement pays, if it pays one. */
export function paidPeriodOf({ settlement }: SettledCharge): PaidPeriod | undefined {
  return 'paidPeriod' in settlement ? settlement.paidPeriod : undefined;
}

/** Inserts the paid periods, and returns the subscriptions whose drawn purchase id was taken, also by one of the others. */
export async function insertPaidPeriods(
  transaction: Queryable,
  packageName: string,
  { settled, author }: { readonly settled: readonly SettledCharge[]; readonly author: Author },
): Promise<ReadonlySet<string>> {
  const periods = settled.flatMap((one) => purchaseOf(one, author));
  if (periods.length === 0) return new Set();
  const byId = new Map(periods.map((period) => [period.purchaseId, period]));
  const inserted = new Set(await insertPeriods(transaction, packageName, [...byId.values()]));
  const taken = periods.filter((one) => byId.get(one.purchaseId) !== one || !inserted.has(one.purchaseId));
  return new Set(taken.map(({ firstPurchaseId }) => firstPurchaseId));
}

function purchaseOf(settled: SettledCharge, author: Author) {
  const paidPeriod = paidPeriodOf(settled);
  if (paidPeriod === undefined) return [];
  const { packageName, productId, buyerId, currency, firstPurchaseId } = settled.row;
  return {
    ...newPurchaseState,
    ...recordedColumns({ ...author, clientAddress: null }),
    ...{ packageName, productId, buyerId, currency, firstPurchaseId },
    ...paidPeriod,
    orderId: null,
    purchaseTime: settled.instant,
  };
}

/** The change of the subscription itself, without the period that was paid after its end. */
function changeOf(settlement: Settlement): Exclude<Settlement, { readonly kind: 'paidAfterEnd' }> {
  return settlement.kind === 'paidAfterEnd' ? settlement.expiry : settlement;
}

function changedSubscription({ row, settlement }: SettledCharge): Subscription {
  const change = changeOf(settlement);
  return 'changed' in change ? change.changed : subscriptionFromRow(row);
}

/** The subscription as it is written. */
export function renewedRow(settled: SettledCharge): RenewedSubscription {
  const { row, settlement, attempt } = settled;
  const expiryEventWritten = row.expiryEventWritten || changeOf(settlement).kind in expiryReasons;
  const openChargeTime = attempt === undefined ? row.openChargeTime : attempt.nextTryTime;
  return { ...changedSubscription(settled), expiryEventWritten, openChargeTime };
}

/** The open attempt as it is written, if there is one. */
export function attemptChanges(settled: SettledCharge): AttemptChange[] {
  const { row, attempt, instant } = settled;
  if (attempt === undefined) return [];
  const settledTime = attempt.outcome === null ? null : instant;
  const purchaseId = paidPeriodOf(settled)?.purchaseId ?? null;
  return [{ firstPurchaseId: row.firstPurchaseId, ...attempt, settledTime, purchaseId }];
}

/** The store, not the customer, cancels such a period. */
const voidReasonAfterEnd: CancelReason = '1';
const voidCauseAfterEnd: VoidCause = 'system';

/**
 * Puts the periods that were paid after the end on the voided list, so that the store refunds them, and returns when each
 * was voided. Locks the voids of the app and its counter row.
 */
export async function voidPaidAfterEnd(
  transaction: Queryable,
  packageName: string,
  {
    settled,
    voidedBy,
    clock,
    advancedFrom,
  }: {
    readonly settled: readonly SettledCharge[];
    readonly voidedBy: string;
    /** Dates the voids outside an advance. */
    readonly clock: StoreClock;
    /** In an advance each void has the instant of its period, and is not before this one. */
    readonly advancedFrom: number | undefined;
  },
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
      refundAmount: null,
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
  withoutConsent: ['subscription.expired'],
  overdue: ['subscription.expired'],
  nothing: [],
} as const satisfies Record<ReturnType<typeof changeOf>['kind'], readonly EventType[]>;

const expiryReasons: Readonly<Partial<Record<Settlement['kind'], ExpiryReason>>> = {
  failedForGood: 'declined',
  expired: 'cancelled',
  withoutConsent: 'consent',
  overdue: 'overdue',
};

/** The events of a change, in order. */
export function eventsOf(settled: SettledCharge, voidedTimes: ReadonlyMap<PurchaseId, number>): NewEvent[] {
  const { row, settlement, attempt, instant: eventTime } = settled;
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
  if (settlement.kind !== 'paidAfterEnd') return events;
  const { paidPeriod } = settlement;
  const { purchaseId } = paidPeriod;
  const voidedTime = voidedTimes.get(purchaseId) ?? eventTime;
  const voided = { ...paidPeriod, voidedTime, voidReason: voidReasonAfterEnd };
  const ofPeriod = { purchaseId, firstPurchaseId, productId };
  const recordOf = (shown: PaidPeriod) => describePeriod(subscription, shown);
  return [
    ...events,
    { ...ofPeriod, type: 'purchase.completed', eventTime, record: recordOf(paidPeriod) },
    { ...ofPeriod, type: 'purchase.voided', eventTime: voidedTime, record: recordOf(voided) },
  ];
}
