// Makes the handlers of all operations in the contract, except getAccessToken, which has a route of its own. Each operation
// gets what it uses.

import type { EventsOperation } from '@opentill/contract/events-api/events-operation.ts';
import type { operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import type { RenewalOptions, SettlingOptions } from '../charging/renewal-options.ts';
import { purchaseResponses } from '../http/routes/purchase-routes.ts';
import type { AppHandler, RespondToPurchaseCall } from '../operations/app-handler.ts';
import { createApp } from '../operations/apps/createApp.ts';
import { getApp } from '../operations/apps/getApp.ts';
import { listApps } from '../operations/apps/listApps.ts';
import { listProducts } from '../operations/apps/listProducts.ts';
import { putProduct } from '../operations/apps/putProduct.ts';
import { rotateClientSecret } from '../operations/apps/rotateClientSecret.ts';
import { updateApp } from '../operations/apps/updateApp.ts';
import { listActions } from '../operations/audit/listActions.ts';
import { createConsoleLink } from '../operations/console/createConsoleLink.ts';
import { createSession } from '../operations/console/createSession.ts';
import { deleteSession } from '../operations/console/deleteSession.ts';
import { getSession } from '../operations/console/getSession.ts';
import { EventWaiters } from '../operations/events/event-waiters.ts';
import { listEvents, listEventsForDevelopers } from '../operations/events/listEvents.ts';
import type { OperatorHandler } from '../operations/operator-handler.ts';
import { consumePurchase } from '../operations/purchases/consumePurchase.ts';
import { eraseBuyer } from '../operations/purchases/eraseBuyer.ts';
import { getDeveloperView } from '../operations/purchases/getDeveloperView.ts';
import { getPurchase } from '../operations/purchases/getPurchase.ts';
import { getPurchaseDetails } from '../operations/purchases/getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId } from '../operations/purchases/getPurchaseDetailsByProductId.ts';
import { getVoidedPurchases } from '../operations/purchases/getVoidedPurchases.ts';
import { listPurchases } from '../operations/purchases/listPurchases.ts';
import { recordConsumption } from '../operations/purchases/recordConsumption.ts';
import { recordPurchase } from '../operations/purchases/recordPurchase.ts';
import { voidPurchase } from '../operations/purchases/voidPurchase.ts';
import { advanceClock } from '../operations/sandbox/advanceClock.ts';
import { getClock } from '../operations/sandbox/getClock.ts';
import { getFaults } from '../operations/sandbox/getFaults.ts';
import { listRequests } from '../operations/sandbox/listRequests.ts';
import { putClock } from '../operations/sandbox/putClock.ts';
import { putFaults } from '../operations/sandbox/putFaults.ts';
import { reset } from '../operations/sandbox/reset.ts';
import { search } from '../operations/search/search.ts';
import { getStatement } from '../operations/statements/getStatement.ts';
import { listStatements } from '../operations/statements/listStatements.ts';
import { getStatistics } from '../operations/statistics/getStatistics.ts';
import type { AttentionReader } from '../operations/status/attention-reader.ts';
import { listAttention } from '../operations/status/listAttention.ts';
import { cancelSubscription } from '../operations/subscriptions/cancelSubscription.ts';
import { changeRenewalPrice } from '../operations/subscriptions/changeRenewalPrice.ts';
import { extendSubscription } from '../operations/subscriptions/extendSubscription.ts';
import { getLastRecurringPurchaseDetails } from '../operations/subscriptions/getLastRecurringPurchaseDetails.ts';
import { getRecurringPurchaseDetails } from '../operations/subscriptions/getRecurringPurchaseDetails.ts';
import { getRenewals } from '../operations/subscriptions/getRenewals.ts';
import { getSubscription } from '../operations/subscriptions/getSubscription.ts';
import { listSubscriptions } from '../operations/subscriptions/listSubscriptions.ts';
import { manageRecurringPaymentStatus } from '../operations/subscriptions/manageRecurringPaymentStatus.ts';
import { pauseRenewals } from '../operations/subscriptions/pauseRenewals.ts';
import { reactivateSubscription } from '../operations/subscriptions/reactivateSubscription.ts';
import { resumeRenewals } from '../operations/subscriptions/resumeRenewals.ts';
import { settleAttempt } from '../operations/subscriptions/settleAttempt.ts';
import { expelTokens } from '../operations/tokens/expelTokens.ts';
import { putToken } from '../operations/tokens/putToken.ts';
import { deleteWebhook } from '../operations/webhooks/deleteWebhook.ts';
import { getDelivery } from '../operations/webhooks/getDelivery.ts';
import { getWebhook } from '../operations/webhooks/getWebhook.ts';
import { listDeliveries } from '../operations/webhooks/listDeliveries.ts';
import { listWebhooks } from '../operations/webhooks/listWebhooks.ts';
import { putWebhook } from '../operations/webhooks/putWebhook.ts';
import { redeliver } from '../operations/webhooks/redeliver.ts';
import { redeliverFailed } from '../operations/webhooks/redeliverFailed.ts';
import { rotateWebhookSecret } from '../operations/webhooks/rotateWebhookSecret.ts';
import { testWebhook } from '../operations/webhooks/testWebhook.ts';
import { findEventOrders } from '../store/events/event-slices.ts';
import type { ServerParts } from './server-parts.ts';

type PurchaseOperationId = Exclude<(typeof purchaseOperations)[number]['operationId'], 'getAccessToken'>;
type OperatorOperation = (typeof operatorOperations)[number];
type SandboxOnly = Extract<OperatorOperation, { readonly sandboxOnly: true }>['operationId'];
type InBoth = Exclude<OperatorOperation['operationId'], SandboxOnly>;

interface HandlerParts extends ServerParts {
  readonly settling: SettlingOptions;
  /** undefined in production without a payment gateway. */
  readonly renewals: RenewalOptions | undefined;
  readonly attention: AttentionReader;
}

export interface Handlers {
  readonly purchases: readonly AppHandler[];
  readonly events: readonly AppHandler<EventsOperation>[];
  readonly operators: readonly OperatorHandler[];
}

export function createHandlers(parts: HandlerParts): Handlers {
  const { store, metrics, stopping } = parts;
  // Shared by all listeners, because its limits apply to the server.
  const eventWaiters = new EventWaiters({
    findOrders: (packageNames) => findEventOrders(store.database.storeWide, packageNames),
    stopping,
    onCount: (waiting) => metrics.setEventWaiters(waiting),
  });
  const purchases = purchaseHandlers(parts);
  const operators = operatorHandlers(parts, eventWaiters, purchaseResponses(purchases));
  return {
    purchases,
    events: [listEventsForDevelopers(store, eventWaiters)],
    operators: [...operators, ...sandboxOnlyHandlers(parts)],
  };
}

function purchaseHandlers({ store, secrets }: ServerParts): AppHandler[] {
  return Object.values({
    getPurchaseDetails: getPurchaseDetails(store),
    getPurchaseDetailsByProductId: getPurchaseDetailsByProductId(store),
    consumePurchase: consumePurchase(store),
    getVoidedPurchases: getVoidedPurchases(store, secrets.continuationKeySecrets),
    getRecurringPurchaseDetails: getRecurringPurchaseDetails(store),
    getLastRecurringPurchaseDetails: getLastRecurringPurchaseDetails(store),
    manageRecurringPaymentStatus: manageRecurringPaymentStatus(store),
  } satisfies Record<PurchaseOperationId, AppHandler>);
}

function operatorHandlers(
  parts: HandlerParts,
  eventWaiters: EventWaiters,
  respondToPurchaseCall: RespondToPurchaseCall,
): OperatorHandler[] {
  const { config, store, settling, attention } = parts;
  const { randomness } = parts.given;
  const { operatorKeys, seals } = parts.access;
  const { timeZone, priceUnit, webhookRules } = config;
  const allowsSubscriptions = parts.renewals !== undefined;
  const settings = { environment: store.environment, timeZone, priceUnit };
  return Object.values({
    cancelSubscription: cancelSubscription(store),
    changeRenewalPrice: changeRenewalPrice(store),
    createApp: createApp(store, randomness),
    createSession: createSession(store, { seals, operatorKeys, settings }),
    deleteSession: deleteSession(),
    deleteWebhook: deleteWebhook(store),
    eraseBuyer: eraseBuyer(store),
    expelTokens: expelTokens(store),
    getApp: getApp(store),
    getDelivery: getDelivery(store),
    getDeveloperView: getDeveloperView(store, respondToPurchaseCall),
    getPurchase: getPurchase(store),
    getRenewals: getRenewals(store),
    getSession: getSession(settings),
    getStatement: getStatement(store, timeZone),
    getStatistics: getStatistics(store, timeZone),
    getSubscription: getSubscription(store),
    getWebhook: getWebhook(store),
    listActions: listActions(store),
    listApps: listApps(store),
    listAttention: listAttention(attention),
    listDeliveries: listDeliveries(store),
    listEvents: listEvents(store, eventWaiters),
    listProducts: listProducts(store),
    listPurchases: listPurchases(store),
    listStatements: listStatements(store, timeZone),
    listSubscriptions: listSubscriptions(store),
    listWebhooks: listWebhooks(store),
    pauseRenewals: pauseRenewals(store),
    putProduct: putProduct(store, allowsSubscriptions),
    putWebhook: putWebhook(store, randomness, webhookRules),
    reactivateSubscription: reactivateSubscription(store),
    extendSubscription: extendSubscription(store),
    recordConsumption: recordConsumption(store),
    recordPurchase: recordPurchase({ store, randomness, timeZone, allowsSubscriptions }),
    redeliver: redeliver(store),
    redeliverFailed: redeliverFailed(store),
    resumeRenewals: resumeRenewals(store),
    rotateClientSecret: rotateClientSecret(store, randomness),
    rotateWebhookSecret: rotateWebhookSecret(store, randomness),
    search: search(store),
    settleAttempt: settleAttempt(store, settling),
    testWebhook: testWebhook(store),
    updateApp: updateApp(store),
    voidPurchase: voidPurchase(store),
  } satisfies Record<InBoth, OperatorHandler>);
}

/** Operations that do not exist in production. */
function sandboxOnlyHandlers(parts: HandlerParts): OperatorHandler[] {
  const { config, store, renewals, stopping } = parts;
  const { randomness } = parts.given;
  if (renewals === undefined || store.sandbox === undefined) return [];
  const { readState: readSandboxState, requestLog } = store.sandbox;
  const { timeZone } = config;
  const isStopping = () => stopping.aborted;
  return Object.values({
    advanceClock: advanceClock({
      store,
      randomness,
      timeZone,
      renewals,
      readSandboxState,
      isStopping,
    }),
    createConsoleLink: createConsoleLink(store, randomness, parts.access.seals),
    getClock: getClock(store),
    getFaults: getFaults(store),
    listRequests: listRequests(store, requestLog),
    putClock: putClock(store),
    putFaults: putFaults(store),
    putToken: putToken(store),
    reset: reset(store, requestLog),
  } satisfies Record<SandboxOnly, OperatorHandler>);
}
