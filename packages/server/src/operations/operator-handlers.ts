// Every operation of the operator API, each with what it needs.

import type { Database } from '../store/connection/database.ts';
import { createApp } from './apps/createApp.ts';
import { getApp } from './apps/getApp.ts';
import { listApps } from './apps/listApps.ts';
import { listProducts } from './apps/listProducts.ts';
import { putProduct } from './apps/putProduct.ts';
import { rotateClientSecret } from './apps/rotateClientSecret.ts';
import { updateApp } from './apps/updateApp.ts';
import { listChanges } from './audit/listChanges.ts';
import { type EventFeed, listEvents } from './events/listEvents.ts';
import type { OperatorHandler } from './operator-handler.ts';
import { getPurchase } from './purchases/getPurchase.ts';
import { listPurchases } from './purchases/listPurchases.ts';
import { type Recorder, recordPurchase } from './purchases/recordPurchase.ts';
import { searchPurchases } from './purchases/searchPurchases.ts';
import { voidPurchase } from './purchases/voidPurchase.ts';
import { cancelSubscription } from './subscriptions/cancelSubscription.ts';
import { getSubscription } from './subscriptions/getSubscription.ts';
import { reactivateSubscription } from './subscriptions/reactivateSubscription.ts';
import { expelTokens } from './tokens/expelTokens.ts';
import { webhookHandlers } from './webhook-handlers.ts';
import type { WebhookParts } from './webhooks/webhook-parts.ts';

export interface OperatorHandlerParts extends Recorder, WebhookParts, EventFeed {
  readonly database: Database;
  /** Drops what this process keeps of an app, after a change of it. */
  forgetApp(packageName: string): void;
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
    listEvents(parts),
  ];
}
