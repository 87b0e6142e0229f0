// Refusals for what several operations need and does not exist.

import { Refusal } from './refusal.ts';

/** For a subscription product or purchase. */
export function noPaymentGateway(): Refusal<'conflict'> {
  const detail = 'Subscriptions require a payment gateway in production: set OPENTILL_PAYMENT_GATEWAY_URL.';
  return new Refusal('conflict', detail);
}

export function noSuchApp(packageName: string): Refusal<'notFound'> {
  return new Refusal('notFound', `App ${packageName} not found.`);
}

export function noSuchPurchase(key: { packageName: string; purchaseId: string }): Refusal<'notFound'> {
  return new Refusal('notFound', `Purchase ${key.purchaseId} of app ${key.packageName} not found.`);
}

/** Only the first purchase identifies a subscription. */
export function noSuchSubscription(key: {
  packageName: string;
  firstPurchaseId: string;
}): Refusal<'notFound'> {
  const { packageName, firstPurchaseId } = key;
  const detail = `Subscription with first purchase ${firstPurchaseId} of app ${packageName} not found.`;
  return new Refusal('notFound', detail);
}

export function noSuchWebhook(packageName: string): Refusal<'notFound'> {
  return new Refusal('notFound', `Webhook of app ${packageName} not found.`);
}

export function noSuchDelivery(key: { packageName: string; deliveryId: string }): Refusal<'notFound'> {
  return new Refusal('notFound', `Delivery ${key.deliveryId} of app ${key.packageName} not found.`);
}
