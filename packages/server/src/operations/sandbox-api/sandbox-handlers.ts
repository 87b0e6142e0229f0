// Every operation of the sandbox API, each with what it needs. In production these paths do not exist.

import type { SandboxHandler } from '../operator-api/operator-handler.ts';
import type { OperatorHandlerParts } from '../operator-api/operator-handlers.ts';
import type { SandboxOnlyParts } from '../operator-api/sandbox-only-handlers.ts';
import { advanceClock } from './advanceClock.ts';
import { cancelSubscription } from './cancelSubscription.ts';
import { deleteWebhook } from './deleteWebhook.ts';
import { expelTokens } from './expelTokens.ts';
import { getClock } from './getClock.ts';
import { getFaults } from './getFaults.ts';
import { getSubscription } from './getSubscription.ts';
import { getWebhook } from './getWebhook.ts';
import { listDeliveries } from './listDeliveries.ts';
import { listPurchases } from './listPurchases.ts';
import { listRequests } from './listRequests.ts';
import { putClock } from './putClock.ts';
import { putFaults } from './putFaults.ts';
import { putProduct } from './putProduct.ts';
import { putToken } from './putToken.ts';
import { putWebhook } from './putWebhook.ts';
import { reactivateSubscription } from './reactivateSubscription.ts';
import { recordPurchase } from './recordPurchase.ts';
import { redeliver } from './redeliver.ts';
import { redeliverFailed } from './redeliverFailed.ts';
import { reset } from './reset.ts';
import { rotateWebhookSecret } from './rotateWebhookSecret.ts';
import { testWebhook } from './testWebhook.ts';
import { voidPurchase } from './voidPurchase.ts';

export function sandboxHandlers(parts: OperatorHandlerParts & SandboxOnlyParts): SandboxHandler[] {
  const { database, clock, forgetApp, advance, randomness, requestLog } = parts;
  return [
    putProduct(database, parts),
    recordPurchase(parts),
    listPurchases(database),
    voidPurchase(database),
    getSubscription(database),
    cancelSubscription(database),
    reactivateSubscription(database),
    expelTokens(database, forgetApp),
    putWebhook(parts),
    getWebhook(database),
    deleteWebhook(database),
    rotateWebhookSecret(parts),
    testWebhook(parts),
    listDeliveries(database),
    redeliver(database),
    redeliverFailed(database),
    getClock(database),
    putClock(database, clock),
    advanceClock(database, advance),
    putFaults(database, randomness),
    getFaults(database),
    putToken(database, parts),
    listRequests(database, requestLog),
    reset(database, parts),
  ];
}
