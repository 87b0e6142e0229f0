// The operations of the purchase, operator and events APIs, in the order of the documentation.

import type { EventsOperation } from './events-api/events-operation.ts';
import { listEvents as eventsListEvents } from './events-api/listEvents.ts';
import { advanceClock } from './operator-api/advanceClock.ts';
import { cancelSubscription } from './operator-api/cancelSubscription.ts';
import { changeRenewalPrice } from './operator-api/changeRenewalPrice.ts';
import { createApp } from './operator-api/createApp.ts';
import { createConsoleLink } from './operator-api/createConsoleLink.ts';
import { createSession } from './operator-api/createSession.ts';
import { deleteSession } from './operator-api/deleteSession.ts';
import { deleteWebhook } from './operator-api/deleteWebhook.ts';
import { eraseBuyer } from './operator-api/eraseBuyer.ts';
import { expelTokens } from './operator-api/expelTokens.ts';
import { extendSubscription } from './operator-api/extendSubscription.ts';
import { getApp } from './operator-api/getApp.ts';
import { getClock } from './operator-api/getClock.ts';
import { getDelivery } from './operator-api/getDelivery.ts';
import { getDeveloperView } from './operator-api/getDeveloperView.ts';
import { getFaults } from './operator-api/getFaults.ts';
import { getPurchase } from './operator-api/getPurchase.ts';
import { getRenewals } from './operator-api/getRenewals.ts';
import { getSession } from './operator-api/getSession.ts';
import { getStatement } from './operator-api/getStatement.ts';
import { getStatistics } from './operator-api/getStatistics.ts';
import { getSubscription } from './operator-api/getSubscription.ts';
import { getWebhook } from './operator-api/getWebhook.ts';
import { listActions } from './operator-api/listActions.ts';
import { listApps } from './operator-api/listApps.ts';
import { listAttention } from './operator-api/listAttention.ts';
import { listDeliveries } from './operator-api/listDeliveries.ts';
import { listEvents } from './operator-api/listEvents.ts';
import { listProducts } from './operator-api/listProducts.ts';
import { listPurchases } from './operator-api/listPurchases.ts';
import { listRequests } from './operator-api/listRequests.ts';
import { listStatements } from './operator-api/listStatements.ts';
import { listSubscriptions } from './operator-api/listSubscriptions.ts';
import { listWebhooks } from './operator-api/listWebhooks.ts';
import type { OperatorOperation } from './operator-api/operator-operation.ts';
import { pauseRenewals } from './operator-api/pauseRenewals.ts';
import { putClock } from './operator-api/putClock.ts';
import { putFaults } from './operator-api/putFaults.ts';
import { putProduct } from './operator-api/putProduct.ts';
import { putToken } from './operator-api/putToken.ts';
import { putWebhook } from './operator-api/putWebhook.ts';
import { reactivateSubscription } from './operator-api/reactivateSubscription.ts';
import { recordConsumption } from './operator-api/recordConsumption.ts';
import { recordPurchase } from './operator-api/recordPurchase.ts';
import { redeliver } from './operator-api/redeliver.ts';
import { redeliverFailed } from './operator-api/redeliverFailed.ts';
import { reset } from './operator-api/reset.ts';
import { resumeRenewals } from './operator-api/resumeRenewals.ts';
import { rotateClientSecret } from './operator-api/rotateClientSecret.ts';
import { rotateWebhookSecret } from './operator-api/rotateWebhookSecret.ts';
import { search } from './operator-api/search.ts';
import { settleAttempt } from './operator-api/settleAttempt.ts';
import { testWebhook } from './operator-api/testWebhook.ts';
import { updateApp } from './operator-api/updateApp.ts';
import { voidPurchase } from './operator-api/voidPurchase.ts';
import { consumePurchase } from './purchase-api/consumePurchase.ts';
import { getAccessToken } from './purchase-api/getAccessToken.ts';
import { getLastRecurringPurchaseDetails } from './purchase-api/getLastRecurringPurchaseDetails.ts';
import { getPurchaseDetails } from './purchase-api/getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId } from './purchase-api/getPurchaseDetailsByProductId.ts';
import { getRecurringPurchaseDetails } from './purchase-api/getRecurringPurchaseDetails.ts';
import { getVoidedPurchases } from './purchase-api/getVoidedPurchases.ts';
import { manageRecurringPaymentStatus } from './purchase-api/manageRecurringPaymentStatus.ts';
import type { PurchaseOperation } from './purchase-api/purchase-operation.ts';

export const purchaseOperations = [
  getAccessToken,
  getPurchaseDetails,
  getPurchaseDetailsByProductId,
  getRecurringPurchaseDetails,
  getLastRecurringPurchaseDetails,
  manageRecurringPaymentStatus,
  getVoidedPurchases,
  consumePurchase,
] as const satisfies readonly PurchaseOperation[];

export const operatorOperations = [
  createApp,
  listApps,
  getApp,
  updateApp,
  rotateClientSecret,
  expelTokens,
  putProduct,
  listProducts,
  recordPurchase,
  recordConsumption,
  getPurchase,
  getDeveloperView,
  listPurchases,
  search,
  voidPurchase,
  eraseBuyer,
  listSubscriptions,
  getSubscription,
  cancelSubscription,
  reactivateSubscription,
  changeRenewalPrice,
  extendSubscription,
  settleAttempt,
  getRenewals,
  pauseRenewals,
  resumeRenewals,
  listAttention,
  getStatistics,
  listStatements,
  getStatement,
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
  createSession,
  getSession,
  deleteSession,
  getClock,
  putClock,
  advanceClock,
  putFaults,
  getFaults,
  putToken,
  listRequests,
  reset,
  createConsoleLink,
] as const satisfies readonly OperatorOperation[];

/** Operations for developers, in both environments. */
export const eventsOperations = [eventsListEvents] as const satisfies readonly EventsOperation[];
