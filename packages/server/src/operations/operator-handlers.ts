// Every operation of the operator API, each with what it needs.

import type { ListEvents } from './events/list-events.ts';
import type { Recorder } from './purchases/record-purchase.ts';
import { cancelSubscription } from './subscriptions/cancelSubscription.ts';
import { createApp } from './apps/createApp.ts';
import { expelTokens } from './tokens/expelTokens.ts';
import { getApp } from './apps/getApp.ts';
import { getPurchase } from './purchases/getPurchase.ts';
import { getSubscription } from './subscriptions/getSubscription.ts';
import { listApps } from './apps/listApps.ts';
import { listChanges } from './audit/listChanges.ts';
import { listEvents } from './events/listEvents.ts';
import { listProducts } from './apps/listProducts.ts';
import { listPurchases } from './purchases/listPurchases.ts';
import type { OperatorHandler } from './operator-handler.ts';
import { putProduct } from './apps/putProduct.ts';
import { reactivateSubscription } from './subscriptions/reactivateSubscription.ts';
import { recordPurchase } from './purchases/recordPurchase.ts';
import { rotateClientSecret } from './apps/rotateClientSecret.ts';
import { searchPurchases } from './purchases/searchPurchases.ts';
import { updateApp } from './apps/updateApp.ts';
import { voidPurchase } from './purchases/voidPurchase.ts';
import { type WebhookParts, webhookHandlers } from './webhook-handlers.ts';

export interface OperatorHandlerParts extends Recorder, WebhookParts {
  /** Drops what this process keeps of an app, after a change of it. */
  forgetApp(packageName: string): void;
  /** The same for all listeners of a server. */
  readonly listEvents: ListEvents;
}

export function operatorHandlers(parts: OperatorHandlerParts): OperatorHandler[] {
  const { database, randomness, forgetApp } = parts;
  return [
    createApp(database, randomness),
    listApps(database),
    getApp(database),
    updateApp(database, forgetApp),
    rotateClientSecret(database, randomness),
    expelTokens(database, forgetApp),
    listChanges(database),
    putProduct(database, parts),
    listProducts(database),
    recordPurchase(parts),
    getPurchase(database),
    listPurchases(database),
    searchPurchases(database),
    voidPurchase(database),
    getSubscription(database),
    cancelSubscription(database),
    reactivateSubscription(database),
    ...webhookHandlers(parts),
    listEvents(parts.listEvents),
  ];
}
