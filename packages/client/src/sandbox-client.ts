// The client of the sandbox API for a developer's tests (docs/sandbox.md).

import { AppConnection, type AppOptions } from './app-connection.ts';
import type { SandboxCallLines, SandboxTimeouts } from './call-lines.ts';
import type { SandboxOperations } from './contract-types.ts';
import { longWorkTimeoutMs } from './long-timeouts.ts';
import { operationMethods } from './operation-methods.ts';

export type { AppOptions } from './app-connection.ts';
export type { CallOptions } from './call-options.ts';
export type { ConnectionOptions, Fetch } from './connection.ts';
export type * from './contract-types.ts';
export { OpenTillError } from './opentill-error.ts';
export { eachPage } from './pages.ts';

const lines = {
  putProduct: 'PUT /sandbox/v1/products/:productId',
  recordPurchase: 'POST /sandbox/v1/purchases',
  listPurchases: 'GET /sandbox/v1/purchases',
  previewVoid: 'GET /sandbox/v1/purchases/:purchaseId/void-preview',
  voidPurchase: 'POST /sandbox/v1/purchases/:purchaseId/void',
  getSubscription: 'GET /sandbox/v1/subscriptions/:firstPurchaseId',
  cancelSubscription: 'POST /sandbox/v1/subscriptions/:firstPurchaseId/cancel',
  reactivateSubscription: 'POST /sandbox/v1/subscriptions/:firstPurchaseId/reactivate',
  listSubscriptionEvents: 'GET /sandbox/v1/subscriptions/:firstPurchaseId/events',
  listAttempts: 'GET /sandbox/v1/subscriptions/:firstPurchaseId/attempts',
  settleAttempt: 'POST /sandbox/v1/subscriptions/:firstPurchaseId/attempts/:periodIndex/:attempt/settle',
  expelTokens: 'POST /sandbox/v1/expel-tokens',
  putWebhook: 'PUT /sandbox/v1/webhook',
  getWebhook: 'GET /sandbox/v1/webhook',
  deleteWebhook: 'DELETE /sandbox/v1/webhook',
  rotateWebhookSecret: 'POST /sandbox/v1/webhook/secret',
  testWebhook: 'POST /sandbox/v1/webhook/test',
  listDeliveries: 'GET /sandbox/v1/webhook/deliveries',
  getDelivery: 'GET /sandbox/v1/webhook/deliveries/:deliveryId',
  redeliver: 'POST /sandbox/v1/webhook/deliveries/:deliveryId/redeliver',
  redeliverFailed: 'POST /sandbox/v1/webhook/deliveries/redeliver-failed',
  getClock: 'GET /sandbox/v1/clock',
  putClock: 'PUT /sandbox/v1/clock',
  advanceClock: 'POST /sandbox/v1/clock/advance',
  listUpcoming: 'GET /sandbox/v1/clock/upcoming',
  putFaults: 'PUT /sandbox/v1/faults',
  getFaults: 'GET /sandbox/v1/faults',
  putToken: 'PUT /sandbox/v1/token',
  listRequests: 'GET /sandbox/v1/requests',
  reset: 'POST /sandbox/v1/reset',
} as const satisfies SandboxCallLines;

const timeoutsMs = {
  redeliverFailed: longWorkTimeoutMs,
  advanceClock: longWorkTimeoutMs,
  reset: longWorkTimeoutMs,
} as const satisfies SandboxTimeouts;

/** Has one method for each operation of the sandbox API; a failed call throws OpenTillError with `problem`. */
export class SandboxClient extends operationMethods<SandboxOperations>(lines, timeoutsMs) {
  /** @throws TypeError for an invalid host or credentials */
  constructor(options: AppOptions) {
    const app = new AppConnection(options);
    super((call) => app.send(call));
  }
}
