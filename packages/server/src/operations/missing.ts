// The responses for a resource in the path that does not exist.

import type { ProblemAnswer } from './operator-handler.ts';

export function noSuchApp(packageName: string): ProblemAnswer<'notFound'> {
  return { problem: 'notFound', detail: `App ${packageName} not found.` };
}

export function noSuchPurchase(key: { packageName: string; purchaseId: string }): ProblemAnswer<'notFound'> {
  return {
    problem: 'notFound',
    detail: `Purchase ${key.purchaseId} of app ${key.packageName} not found.`,
  };
}

/** Only the first purchase of a subscription names it. */
export function noSuchSubscription(key: {
  packageName: string;
  firstPurchaseId: string;
}): ProblemAnswer<'notFound'> {
  return {
    problem: 'notFound',
    detail: `Subscription with first purchase ${key.firstPurchaseId} of app ${key.packageName} not found.`,
  };
}

export function noSuchWebhook(packageName: string): ProblemAnswer<'notFound'> {
  return { problem: 'notFound', detail: `Webhook of app ${packageName} not found.` };
}

export function noSuchDelivery(key: { packageName: string; deliveryId: string }): ProblemAnswer<'notFound'> {
  return {
    problem: 'notFound',
    detail: `Delivery ${key.deliveryId} of app ${key.packageName} not found.`,
  };
}
