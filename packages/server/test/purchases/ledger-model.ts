// A model of the ledger of one app, based on the specification and docs/decisions/ and not on the server's code.

import { Temporal } from 'temporal-polyfill';

export interface ModelPurchase {
  readonly purchaseId: string;
  readonly productId: string;
  readonly orderId: string | undefined;
  readonly purchaseTime: number;
  readonly developerPayload: string;
  readonly price: number;
  consumed: boolean;
  voidedTime: number | undefined;
  /** In the format of the purchase API. */
  voidReason: '0' | '1' | undefined;
  readonly subscription: ModelSubscription | undefined;
}

interface ModelSubscription {
  autoRenewing: boolean;
  expiryTime: number;
  cancelReason: '0' | '1' | undefined;
  cancelledTime: number | undefined;
  hasEnded: boolean;
}

export interface Recording {
  readonly productId: string;
  readonly purchaseId: string;
  readonly orderId?: string;
  readonly developerPayload?: string;
  readonly price?: number;
  readonly purchaseTime?: number;
}

const listPrice = 499;
const aheadMax = 60_000;
const month = { months: 1 };

export class LedgerModel {
  readonly purchases = new Map<string, ModelPurchase>();
  /** In the order of voiding. */
  readonly voids: { purchaseId: string; purchaseTime: number; voidedTime: number }[] = [];
  /** The type and purchase of every event, in order. */
  readonly events: [type: string, purchaseId: string][] = [];

  /** The status of the response. */
  record(sent: Recording, now: number): 200 | 201 | 400 | 409 {
    const byId = this.purchases.get(sent.purchaseId);
    const byOrder = [...this.purchases.values()].find(
      ({ orderId }) => orderId !== undefined && orderId === sent.orderId,
    );
    const known = byId ?? byOrder;
    if (known !== undefined) {
      if (byOrder !== undefined && byOrder !== known) return 409;
      const meant = { orderId: undefined, developerPayload: '', ...sent };
      const entries = Object.entries(meant) as [keyof Recording, unknown][];
      return entries.every(([field, value]) => known[field] === value) ? 200 : 409;
    }
    const purchaseTime = sent.purchaseTime ?? now;
    if (purchaseTime > now + aheadMax) return 400;
    const isMonthly = sent.productId === 'monthly';
    this.purchases.set(sent.purchaseId, {
      purchaseId: sent.purchaseId,
      productId: sent.productId,
      orderId: sent.orderId,
      purchaseTime,
      developerPayload: sent.developerPayload ?? '',
      price: sent.price ?? listPrice,
      consumed: false,
      voidedTime: undefined,
      voidReason: undefined,
      subscription: isMonthly ? startedAt(purchaseTime) : undefined,
    });
    this.events.push([isMonthly ? 'subscription.started' : 'purchase.completed', sent.purchaseId]);
    return 201;
  }

  /** 1, or the error code. */
  consume(purchaseId: string): 1 | 9200 | 9201 {
    const purchase = this.purchases.get(purchaseId);
    if (purchase === undefined || purchase.voidedTime !== undefined) return 9200;
    if (purchase.consumed || purchase.subscription !== undefined) return 9201;
    purchase.consumed = true;
    this.events.push(['purchase.consumed', purchaseId]);
    return 1;
  }

  void(purchaseId: string, reason: '0' | '1', now: number): 200 | 404 {
    const purchase = this.purchases.get(purchaseId);
    if (purchase === undefined) return 404;
    if (purchase.voidedTime !== undefined) return 200;
    const voidedTime = Math.max(now, this.voids.at(-1)?.voidedTime ?? 0);
    purchase.voidedTime = voidedTime;
    purchase.voidReason = reason;
    this.voids.push({ purchaseId, purchaseTime: purchase.purchaseTime, voidedTime });
    this.events.push(['purchase.voided', purchaseId]);
    const { subscription } = purchase;
    if (subscription === undefined) return 200;
    if (!subscription.hasEnded) this.events.push(['subscription.terminated', purchaseId]);
    Object.assign(subscription, {
      autoRenewing: false,
      expiryTime: Math.min(subscription.expiryTime, voidedTime),
      cancelReason: reason,
      cancelledTime: voidedTime,
      hasEnded: true,
    });
    return 200;
  }

  /** The responseCode, or 404. */
  cancel(purchaseId: string, reason: '0' | '1', now: number): 0 | 1 | 404 {
    const purchase = this.purchases.get(purchaseId);
    const subscription = purchase?.subscription;
    if (purchase === undefined || subscription === undefined) return 404;
    if (!subscription.autoRenewing) return 1;
    const isOutstanding = now >= subscription.expiryTime;
    Object.assign(subscription, {
      autoRenewing: false,
      cancelReason: reason,
      cancelledTime: Math.max(now, purchase.purchaseTime),
      hasEnded: isOutstanding,
    });
    const type = isOutstanding ? 'subscription.terminated' : 'subscription.auto_payment_cancelled';
    this.events.push([type, purchaseId]);
    return 0;
  }

  reactivate(purchaseId: string, now: number): 0 | 1 | 404 {
    const subscription = this.purchases.get(purchaseId)?.subscription;
    if (subscription === undefined) return 404;
    const { autoRenewing, hasEnded, expiryTime } = subscription;
    if (autoRenewing || hasEnded || now >= expiryTime) return 1;
    Object.assign(subscription, { autoRenewing: true, cancelReason: undefined, cancelledTime: undefined });
    this.events.push(['subscription.auto_payment_reactivated', purchaseId]);
    return 0;
  }
}

function startedAt(startTime: number): ModelSubscription {
  const start = Temporal.Instant.fromEpochMilliseconds(startTime).toZonedDateTimeISO('UTC');
  return {
    autoRenewing: true,
    expiryTime: start.add(month).epochMilliseconds,
    cancelReason: undefined,
    cancelledTime: undefined,
    hasEnded: false,
  };
}

/** The expected responses of the purchase API's reads: bodies without undefined values, or undefined for 9001. */
export const expected = {
  details(purchase: ModelPurchase | undefined) {
    if (purchase === undefined || purchase.subscription !== undefined) return undefined;
    return {
      consumptionState: purchase.consumed ? 1 : 0,
      developerPayload: purchase.developerPayload,
      purchaseState: purchase.voidedTime === undefined ? 0 : 1,
      purchaseTime: purchase.purchaseTime,
    };
  },
  recurring(purchase: ModelPurchase | undefined) {
    const subscription = purchase?.subscription;
    if (purchase === undefined || subscription === undefined) return undefined;
    return {
      startTime: purchase.purchaseTime,
      expiryTime: subscription.expiryTime,
      nextPaymentTime: subscription.autoRenewing ? subscription.expiryTime : undefined,
      autoRenewing: subscription.autoRenewing,
      price: purchase.price,
      developerPayload: purchase.developerPayload,
      purchaseState: purchase.voidedTime === undefined ? 0 : 1,
      cancelReason: subscription.cancelReason,
      cancelledTime: subscription.cancelledTime,
    };
  },
  lastRecurring(purchase: ModelPurchase | undefined) {
    const subscription = purchase?.subscription;
    if (purchase === undefined || subscription === undefined) return undefined;
    return {
      startTime: purchase.purchaseTime,
      expiryTime: subscription.expiryTime,
      nextPaymentTime: subscription.autoRenewing ? subscription.expiryTime : undefined,
      autoRenewing: subscription.autoRenewing,
      cancelReason: subscription.cancelReason,
      cancelledTime: subscription.cancelledTime,
      lastPurchaseId: purchase.purchaseId,
    };
  },
};
