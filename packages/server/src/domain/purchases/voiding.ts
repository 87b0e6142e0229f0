// Decides what the void of a purchase changes, and describes it to an operator beforehand (docs/decisions/purchases.md).

import type { ReasonCode } from '@opentill/contract/actions.ts';
import type { EventType, VoidCause } from '@opentill/contract/events.ts';
import type { VoidEffect } from '@opentill/contract/purchase-with-history.ts';
import {
  decideVoidOfPeriod,
  describePeriod,
  type PaidPeriod,
  type PeriodRecord,
  type Subscription,
  subscriptionStateAt,
} from '../subscriptions/subscription.ts';
import type { CancelReason, Purchase } from './purchase.ts';

/** A purchase that is not void. */
export interface Voidable {
  readonly purchase: Pick<Purchase, 'price' | 'currency' | 'orderId' | 'consumedTime'>;
  /** undefined for a one-time purchase. */
  readonly paidPeriod: PeriodToVoid | undefined;
}

interface PeriodToVoid {
  readonly subscription: Subscription;
  readonly paidPeriod: PaidPeriod;
  /** Whether a charge for the next period has no outcome. */
  readonly chargeIsOpen: boolean;
}

interface VoidDecision {
  /** The new end of the period; null for a one-time purchase. */
  readonly expiryTime: number | null;
  /** Set if the void changes the subscription. */
  readonly subscription: Subscription | undefined;
  /** The period after the void. */
  readonly record: PeriodRecord | null;
  readonly events: readonly EventType[];
}

/** The cause that developers see for an operator's reason. */
const voidCauses = {
  customerRequest: 'customerRequest',
  duplicate: 'duplicate',
  fraud: 'fraud',
  chargeback: 'chargeback',
  malfunction: 'defect',
  test: 'other',
  other: 'other',
} as const satisfies Record<ReasonCode, VoidCause>;

/** The cause of a void by a call. */
export function voidCauseOf(reason: CancelReason, reasonCode: ReasonCode | undefined): VoidCause {
  if (reasonCode !== undefined) return voidCauses[reasonCode];
  return reason === '0' ? 'customerRequest' : 'other';
}

export function decideVoid(
  { paidPeriod: target }: Voidable,
  by: { readonly voidedTime: number; readonly reason: CancelReason },
): VoidDecision {
  if (target === undefined) {
    return { expiryTime: null, subscription: undefined, record: null, events: ['purchase.voided'] };
  }
  const { subscription: before } = target;
  const { subscription, paidPeriod } = decideVoidOfPeriod(before, target.paidPeriod, by);
  const isTerminated = subscription !== undefined && before.terminatedTime === null;
  return {
    expiryTime: paidPeriod.expiryTime,
    subscription,
    record: describePeriod(subscription ?? before, paidPeriod),
    events: ['purchase.voided', ...(isTerminated ? (['subscription.terminated'] as const) : [])],
  };
}

/** The changes of a void at this instant. The effects stay the same until something else changes the purchase. */
export function describeVoid(target: Voidable, voidedTime: number): VoidEffect[] {
  const { price, currency, orderId, consumedTime } = target.purchase;
  const { subscription, events } = decideVoid(target, { voidedTime, reason: '1' });
  return [
    ...(target.paidPeriod === undefined
      ? [{ type: 'accessEnds' } as const]
      : effectsOnPeriod(target.paidPeriod, { voidedTime, isNewest: subscription !== undefined })),
    ...(consumedTime === null ? [] : [{ type: 'consumed', consumedTime } as const]),
    ...events.map((eventType) => ({ type: 'event', eventType }) as const),
    { type: 'refund', price, currency, ...(orderId !== null && { orderId }) },
  ];
}

function effectsOnPeriod(
  { subscription, chargeIsOpen }: PeriodToVoid,
  { voidedTime, isNewest }: { readonly voidedTime: number; readonly isNewest: boolean },
): VoidEffect[] {
  const { firstPurchaseId, expiryTime } = subscription;
  const state = subscriptionStateAt(subscription, voidedTime);
  const ends = isNewest && state !== 'terminated';
  return [
    accessAfter(),
    { type: ends ? 'subscriptionEnds' : 'subscriptionUnchanged', firstPurchaseId, state },
    ...(isNewest && chargeIsOpen ? [{ type: 'openCharge', firstPurchaseId } as const] : []),
  ];

  function accessAfter(): VoidEffect {
    if (expiryTime <= voidedTime) return { type: 'accessEnded', time: expiryTime };
    return isNewest ? { type: 'accessEnds' } : { type: 'accessContinues', until: expiryTime };
  }
}
