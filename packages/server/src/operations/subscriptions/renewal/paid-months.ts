// What definite answers make of held subscriptions: the months that they bought, the void of one that was
// paid in vain, and the events that tell of it.

import type { EventType } from '@opentill/contract/events.ts';
import type { RecurringPurchaseDetails } from '@opentill/contract/resources.ts';
import { generatedPurchaseId, type PurchaseId, purchaseIdDigits } from '../../../domain/identifiers.ts';
import type { CancelReason } from '../../../domain/purchases/purchase.ts';
import {
  type AttemptNumber,
  decideSettlement,
  type SettledOutcome,
  type Settlement,
} from '../../../domain/subscriptions/renewal.ts';
import {
  describeNewestMonth,
  describeRecurringPurchase,
  type SubscriptionMonth,
} from '../../../domain/subscriptions/subscription.ts';
import type { Queryable } from '../../../store/connection/database.ts';
import { type NewEvent, takeVoidPlace } from '../../../store/events/events.ts';
import type { PurchaseRow } from '../../../store/purchases/purchases.ts';
import { markVoided } from '../../../store/purchases/voided-purchases.ts';
import {
  insertMonths,
  type RenewedSubscription,
} from '../../../store/subscriptions/renewed-subscriptions.ts';
import type { HeldSubscription } from '../../../store/subscriptions/subscriptions.ts';
import { subscriptionOf } from '../subscription-view.ts';
import type { RenewalParts } from './renewal-parts.ts';

/** What can be settled: the definite answer to an open attempt, or without one an expiry. */
export interface Settleable {
  readonly row: HeldSubscription;
  readonly instant: number;
  readonly answer?: AttemptNumber & { readonly outcome: SettledOutcome };
}

/** A subscription with what became of it; the month, if one was paid, is inserted. */
export interface Settled {
  readonly row: HeldSubscription;
  readonly instant: number;
  readonly settlement: Settlement;
  readonly outcome: SettledOutcome | undefined;
  readonly month: SubscriptionMonth | undefined;
}

/** A thousand months a second draw from 10^8 ids: so many rounds of draws never all meet a taken one. */
const drawsMax = 8;

/** Decides each, in the order given; a month whose drawn id is taken draws another. */
export async function decideAndInsertMonths(
  transaction: Queryable,
  parts: RenewalParts,
  items: readonly Settleable[],
): Promise<Settled[]> {
  const settled = new Map<Settleable, Settled>();
  let open = items;
  for (let draw = 0; draw < drawsMax && open.length > 0; draw += 1) {
    const decided = open.map((one) => [one, decide(parts, one)] as const);
    const months = decided.flatMap(([, one]) =>
      one.month === undefined ? [] : [purchaseOf(one, one.month)],
    );
    const inserted = await insertDistinct(transaction, months);
    for (const [item, one] of decided) {
      if (one.month === undefined || inserted.has(one.row.firstPurchaseId)) settled.set(item, one);
    }
    open = open.filter((item) => !settled.has(item));
  }
  if (open.length > 0) throw new Error(`Each of ${drawsMax} drawn purchase ids was taken.`);
  return items.flatMap((item) => settled.get(item) ?? []);
}

function decide({ environment, randomness }: RenewalParts, { row, instant, answer }: Settleable): Settled {
  if (answer === undefined) {
    return { row, instant, settlement: { kind: 'expired' }, outcome: undefined, month: undefined };
  }
  const { outcome } = answer;
  const digits = randomness.digits(purchaseIdDigits);
  const purchaseId = generatedPurchaseId({ environment, now: instant, digits });
  const settlement = decideSettlement(subscriptionOf(row), answer, { outcome, now: instant, purchaseId });
  const month = 'month' in settlement ? settlement.month : undefined;
  return { row, instant, settlement, outcome, month };
}

/** The subscriptions whose month is now there. Of two that drew the same id one has to draw again. */
async function insertDistinct(
  transaction: Queryable,
  months: readonly PurchaseRow[],
): Promise<ReadonlySet<string | null>> {
  const [first] = months;
  if (first === undefined) return new Set();
  const byId = new Map(months.map((month) => [month.purchaseId, month]));
  const inserted = await insertMonths(transaction, first.packageName, [...byId.values()]);
  return new Set([...inserted].map((purchaseId) => byId.get(purchaseId)?.firstPurchaseId ?? null));
}

function purchaseOf({ row, instant }: Settled, month: SubscriptionMonth): PurchaseRow {
  return {
    packageName: row.packageName,
    purchaseId: month.purchaseId,
    productId: row.productId,
    orderId: null,
    buyerId: row.buyerId,
    purchaseTime: instant,
    developerPayload: month.developerPayload,
    price: month.price,
    currency: row.currency,
    consumedTime: null,
    voidedTime: null,
    voidReason: null,
    firstPurchaseId: row.firstPurchaseId,
    periodIndex: month.periodIndex,
    startTime: month.startTime,
    expiryTime: month.expiryTime,
  };
}

/** The subscription as it is to be written: with no attempt open, and its expiry told where it is. */
export function renewedRow({ row, settlement }: Settled): RenewedSubscription {
  const changed = 'changed' in settlement ? settlement.changed : subscriptionOf(row);
  const expiryTold = settlement.kind === 'failedForGood' || settlement.kind === 'expired' || row.expiryTold;
  return { ...changed, expiryTold };
}

/** It is the store that gives the money back. */
const voidReasonInVain: CancelReason = '1';

/**
 * Puts the months that were paid in vain on the voided list, so that the store refunds them; gives when each
 * was voided. It takes the lock of the counter row.
 */
export async function voidPaidInVain(
  transaction: Queryable,
  packageName: string,
  settled: readonly Settled[],
): Promise<ReadonlyMap<PurchaseId, number>> {
  const voidedTimes = new Map<PurchaseId, number>();
  for (const { settlement, instant } of settled) {
    if (settlement.kind !== 'paidInVain') continue;
    const { purchaseId } = settlement.month;
    const { voidedTime, voidOrder } = await takeVoidPlace(transaction, packageName, instant);
    const voiding = { voidedTime, voidOrder, voidReason: voidReasonInVain, expiryTime: null };
    await markVoided(transaction, { packageName, purchaseId }, voiding);
    voidedTimes.set(purchaseId, voidedTime);
  }
  return voidedTimes;
}

const eventTypes = {
  renewed: ['subscription.renewed'],
  paidInVain: ['purchase.completed', 'purchase.voided'],
  failed: ['subscription.payment_failed'],
  failedForGood: ['subscription.payment_failed', 'subscription.expired'],
  expired: ['subscription.expired'],
  nothing: [],
} as const satisfies Record<Settlement['kind'], readonly EventType[]>;

/** What is told of it, in order. */
export function eventsOf(settled: Settled, voidedTimes: ReadonlyMap<PurchaseId, number>): NewEvent[] {
  const { row, settlement, month, instant } = settled;
  const { firstPurchaseId, productId } = row;
  const purchaseId = month?.purchaseId ?? row.lastPurchaseId;
  return eventTypes[settlement.kind].map((type) => {
    const voidedTime = type === 'purchase.voided' ? voidedTimes.get(purchaseId as PurchaseId) : undefined;
    const record = recordOf(settled, voidedTime);
    return { type, eventTime: voidedTime ?? instant, purchaseId, firstPurchaseId, productId, record };
  });
}

/** What the purchase API shows: of a month that was paid in vain before and after its void, else of the newest. */
function recordOf({ row, settlement }: Settled, voidedTime: number | undefined): RecurringPurchaseDetails {
  const subscription = subscriptionOf(row);
  if (settlement.kind !== 'paidInVain') {
    return describeNewestMonth('changed' in settlement ? settlement.changed : subscription);
  }
  const voided = voidedTime === undefined ? {} : { voidedTime, voidReason: voidReasonInVain };
  return describeRecurringPurchase(subscription, { ...settlement.month, ...voided });
}
