// What is answered when the thing that a path names is not there.

import type { ProblemAnswer } from './operator-handler.ts';

export function noSuchApp(packageName: string): ProblemAnswer<'notFound'> {
  return { problem: 'notFound', detail: `There is no app ${packageName}.` };
}

export function noSuchPurchase(key: { packageName: string; purchaseId: string }): ProblemAnswer<'notFound'> {
  return {
    problem: 'notFound',
    detail: `The app ${key.packageName} has no purchase ${key.purchaseId}.`,
  };
}

/** Only the first purchase of a subscription names it. */
export function noSuchSubscription(key: {
  packageName: string;
  firstPurchaseId: string;
}): ProblemAnswer<'notFound'> {
  return {
    problem: 'notFound',
    detail: `The app ${key.packageName} has no subscription whose first purchase is ${key.firstPurchaseId}.`,
  };
}

export function noSuchWebhook(packageName: string): ProblemAnswer<'notFound'> {
  return { problem: 'notFound', detail: `There is no webhook of an app ${packageName}.` };
}

export function noSuchDelivery(key: { packageName: string; deliveryId: string }): ProblemAnswer<'notFound'> {
  return {
    problem: 'notFound',
    detail: `The app ${key.packageName} has no delivery ${key.deliveryId}.`,
  };
}
