// Every operation of the operator API, each with what it needs.

import type { ListEvents } from '../list-events.ts';
import type { Recorder } from '../record-purchase.ts';
import { cancelSubscription } from './cancelSubscription.ts';
import { createApp } from './createApp.ts';
import { expelTokens } from './expelTokens.ts';
import { getApp } from './getApp.ts';
import { getPurchase } from './getPurchase.ts';
import { getSubscription } from './getSubscription.ts';
import { listApps } from './listApps.ts';
import { listChanges } from './listChanges.ts';
import { listEvents } from './listEvents.ts';
import { listProducts } from './listProducts.ts';
import { listPurchases } from './listPurchases.ts';
import type { OperatorHandler } from './operator-handler.ts';
import { putProduct } from './putProduct.ts';
import { reactivateSubscription } from './reactivateSubscription.ts';
import { recordPurchase } from './recordPurchase.ts';
import { rotateClientSecret } from './rotateClientSecret.ts';
import { searchPurchases } from './searchPurchases.ts';
import { updateApp } from './updateApp.ts';
import { voidPurchase } from './voidPurchase.ts';
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
