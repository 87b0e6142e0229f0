// Every operation of the sandbox API, each with what it needs. In production these paths do not exist.

import type { SandboxHandler } from '../operator-api/operator-handler.ts';
import type { OperatorHandlerParts } from '../operator-api/operator-handlers.ts';
import { cancelSubscription } from './cancelSubscription.ts';
import { expelTokens } from './expelTokens.ts';
import { getSubscription } from './getSubscription.ts';
import { listPurchases } from './listPurchases.ts';
import { putProduct } from './putProduct.ts';
import { reactivateSubscription } from './reactivateSubscription.ts';
import { recordPurchase } from './recordPurchase.ts';
import { voidPurchase } from './voidPurchase.ts';

export function sandboxHandlers(parts: OperatorHandlerParts): SandboxHandler[] {
  const { database, forgetApp } = parts;
  return [
    putProduct(database, parts),
    recordPurchase(parts),
    listPurchases(database),
    voidPurchase(database),
    getSubscription(database),
    cancelSubscription(database),
    reactivateSubscription(database),
    expelTokens(database, forgetApp),
  ];
}
