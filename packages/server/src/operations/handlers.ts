// The handlers of all operations by API, except getAccessToken, which has a route of its own.

import { createApp } from './apps/createApp.ts';
import { getApp } from './apps/getApp.ts';
import { listApps } from './apps/listApps.ts';
import { listProducts } from './apps/listProducts.ts';
import { putProduct } from './apps/putProduct.ts';
import { rotateClientSecret } from './apps/rotateClientSecret.ts';
import { updateApp } from './apps/updateApp.ts';
import { checkActions } from './audit/checkActions.ts';
import { listActions } from './audit/listActions.ts';
import { createConsoleLink } from './console/createConsoleLink.ts';
import { createSession } from './console/createSession.ts';
import { deleteSession } from './console/deleteSession.ts';
import { getSession } from './console/getSession.ts';
import { listEvents, listEventsForDevelopers } from './events/listEvents.ts';
import type { EventsHandler } from './events-handler.ts';
import type {
  HandlerOptions,
  OperatorHandlerOptions,
  SandboxHandlerOptions,
  Uses,
} from './handler-options.ts';
import type { OperatorHandler } from './operator-handler.ts';
import type { PurchaseHandler } from './purchase-handler.ts';
import { consumePurchase } from './purchases/consumePurchase.ts';
import { eraseBuyer } from './purchases/eraseBuyer.ts';
import { getDeveloperView } from './purchases/getDeveloperView.ts';
import { getPurchase } from './purchases/getPurchase.ts';
import { getPurchaseDetails } from './purchases/getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId } from './purchases/getPurchaseDetailsByProductId.ts';
import { getVoidedPurchases } from './purchases/getVoidedPurchases.ts';
import { listPurchases } from './purchases/listPurchases.ts';
import { listVoids } from './purchases/listVoids.ts';
import { previewVoid } from './purchases/previewVoid.ts';
import { recordPurchase } from './purchases/recordPurchase.ts';
import { searchPurchases } from './purchases/searchPurchases.ts';
import { voidPurchase } from './purchases/voidPurchase.ts';
import { Refusal } from './refusal.ts';
import { advanceClock } from './sandbox/advanceClock.ts';
import { getClock } from './sandbox/getClock.ts';
import { getFaults } from './sandbox/getFaults.ts';
import { listRequests } from './sandbox/listRequests.ts';
import { listUpcoming } from './sandbox/listUpcoming.ts';
import { putClock } from './sandbox/putClock.ts';
import { putFaults } from './sandbox/putFaults.ts';
import { reset } from './sandbox/reset.ts';
import { search } from './search/search.ts';
import { cancelSubscription } from './subscriptions/cancelSubscription.ts';
import { cancelSubscriptions } from './subscriptions/cancelSubscriptions.ts';
import { getLastRecurringPurchaseDetails } from './subscriptions/getLastRecurringPurchaseDetails.ts';
import { getRecurringPurchaseDetails } from './subscriptions/getRecurringPurchaseDetails.ts';
import { getRenewals } from './subscriptions/getRenewals.ts';
import { getSubscription } from './subscriptions/getSubscription.ts';
import { listAttempts } from './subscriptions/listAttempts.ts';
import { listSubscriptionEvents } from './subscriptions/listSubscriptionEvents.ts';
import { listSubscriptions } from './subscriptions/listSubscriptions.ts';
import { manageRecurringPaymentStatus } from './subscriptions/manageRecurringPaymentStatus.ts';
import { pauseRenewals } from './subscriptions/pauseRenewals.ts';
import { reactivateSubscription } from './subscriptions/reactivateSubscription.ts';
import { resumeRenewals } from './subscriptions/resumeRenewals.ts';
import { settleAttempt } from './subscriptions/settleAttempt.ts';
import { expelTokens } from './tokens/expelTokens.ts';
import { putToken } from './tokens/putToken.ts';
import { deleteWebhook } from './webhooks/deleteWebhook.ts';
import { getDelivery } from './webhooks/getDelivery.ts';
import { getWebhook } from './webhooks/getWebhook.ts';
import { listDeliveries } from './webhooks/listDeliveries.ts';
import { listWebhooks } from './webhooks/listWebhooks.ts';
import { putWebhook } from './webhooks/putWebhook.ts';
import { redeliver } from './webhooks/redeliver.ts';
import { redeliverFailed } from './webhooks/redeliverFailed.ts';
import { rotateWebhookSecret } from './webhooks/rotateWebhookSecret.ts';
import { testWebhook } from './webhooks/testWebhook.ts';

const skewed = 'The clock of this server is wrong. Try again later, or on another server.';

const purchaseOperations = [
  getPurchaseDetails,
  getPurchaseDetailsByProductId,
  getRecurringPurchaseDetails,
  getLastRecurringPurchaseDetails,
  manageRecurringPaymentStatus,
  getVoidedPurchases,
  consumePurchase,
];

const operatorOperations = [
  createApp,
  listApps,
  getApp,
  updateApp,
  rotateClientSecret,
  expelTokens,
  putProduct,
  listProducts,
  recordPurchase,
  getPurchase,
  getDeveloperView,
  listPurchases,
  searchPurchases,
  search,
  previewVoid,
  voidPurchase,
  listVoids,
  eraseBuyer,
  listSubscriptions,
  getSubscription,
  cancelSubscription,
  reactivateSubscription,
  cancelSubscriptions,
  listSubscriptionEvents,
  listAttempts,
  settleAttempt,
  getRenewals,
  pauseRenewals,
  resumeRenewals,
  putWebhook,
  getWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhooks,
  listDeliveries,
  getDelivery,
  redeliver,
  redeliverFailed,
  listEvents,
  listActions,
  checkActions,
  createSession,
  getSession,
  deleteSession,
];

const sandboxOperations = [
  getClock,
  putClock,
  advanceClock,
  listUpcoming,
  putFaults,
  getFaults,
  putToken,
  listRequests,
  reset,
  createConsoleLink,
];

export function purchaseHandlers(options: HandlerOptions): PurchaseHandler[] {
  return purchaseOperations.map((operation) => operation(options));
}

export function eventsHandlers(options: HandlerOptions): EventsHandler[] {
  return [listEventsForDevelopers(options)];
}

/** A change of money must not get its date from a clock that is known to be wrong. */
function refuseWhileSkewed(handler: OperatorHandler, { store: { clocks } }: Uses<'store'>): OperatorHandler {
  if (handler.operation.needsClock !== true) return handler;
  const handle: OperatorHandler['handle'] = async (call) =>
    clocks.isSkewed ? new Refusal('unavailable', skewed) : handler.handle(call);
  return { ...handler, handle };
}

/** `sandbox` is undefined in production, where the operations that need it do not exist. */
export function operatorHandlers(
  options: OperatorHandlerOptions,
  sandbox: SandboxHandlerOptions | undefined,
): OperatorHandler[] {
  const handlers = operatorOperations.map((operation) => refuseWhileSkewed(operation(options), options));
  if (sandbox === undefined) return handlers;
  return [...handlers, ...sandboxOperations.map((operation) => operation({ ...options, ...sandbox }))];
}
