// The client of the operator API (docs/client.md).

import type { OperatorCallLines, OperatorTimeouts } from './call-lines.ts';
import { type Call, Connection, type ConnectionOptions, visibleAscii } from './connection.ts';
import type { OperatorOperations } from './contract-types.ts';
import { eventsTimeoutMs, longWorkTimeoutMs } from './long-timeouts.ts';
import { operationMethods } from './operation-methods.ts';

export type { CallOptions } from './call-options.ts';
export type { ConnectionOptions, Fetch } from './connection.ts';
export type * from './contract-types.ts';
export { OpenTillError } from './opentill-error.ts';
export { eachPage } from './pages.ts';

const lines = {
  createApp: 'POST /operator/v1/apps',
  listApps: 'GET /operator/v1/apps',
  getApp: 'GET /operator/v1/apps/:packageName',
  updateApp: 'PATCH /operator/v1/apps/:packageName',
  rotateClientSecret: 'POST /operator/v1/apps/:packageName/client-secret',
  expelTokens: 'POST /operator/v1/apps/:packageName/expel-tokens',
  putProduct: 'PUT /operator/v1/apps/:packageName/products/:productId',
  listProducts: 'GET /operator/v1/apps/:packageName/products',
  recordPurchase: 'POST /operator/v1/apps/:packageName/purchases',
  getPurchase: 'GET /operator/v1/apps/:packageName/purchases/:purchaseId',
  getDeveloperView: 'GET /operator/v1/apps/:packageName/purchases/:purchaseId/developer-view',
  listPurchases: 'GET /operator/v1/apps/:packageName/purchases',
  searchPurchases: 'GET /operator/v1/purchases',
  search: 'GET /operator/v1/search',
  previewVoid: 'GET /operator/v1/apps/:packageName/purchases/:purchaseId/void-preview',
  voidPurchase: 'POST /operator/v1/apps/:packageName/purchases/:purchaseId/void',
  listVoids: 'GET /operator/v1/voids',
  eraseBuyer: 'POST /operator/v1/buyers/erase',
  listSubscriptions: 'GET /operator/v1/subscriptions',
  getSubscription: 'GET /operator/v1/apps/:packageName/subscriptions/:firstPurchaseId',
  cancelSubscription: 'POST /operator/v1/apps/:packageName/subscriptions/:firstPurchaseId/cancel',
  reactivateSubscription: 'POST /operator/v1/apps/:packageName/subscriptions/:firstPurchaseId/reactivate',
  cancelSubscriptions: 'POST /operator/v1/apps/:packageName/subscriptions/cancel',
  listSubscriptionEvents: 'GET /operator/v1/apps/:packageName/subscriptions/:firstPurchaseId/events',
  listAttempts: 'GET /operator/v1/apps/:packageName/subscriptions/:firstPurchaseId/attempts',
  settleAttempt:
    'POST /operator/v1/apps/:packageName/subscriptions/:firstPurchaseId/attempts/:periodIndex/:attempt/settle',
  getRenewals: 'GET /operator/v1/renewals',
  pauseRenewals: 'POST /operator/v1/renewals/pause',
  resumeRenewals: 'POST /operator/v1/renewals/resume',
  putWebhook: 'PUT /operator/v1/apps/:packageName/webhook',
  getWebhook: 'GET /operator/v1/apps/:packageName/webhook',
  deleteWebhook: 'DELETE /operator/v1/apps/:packageName/webhook',
  rotateWebhookSecret: 'POST /operator/v1/apps/:packageName/webhook/secret',
  testWebhook: 'POST /operator/v1/apps/:packageName/webhook/test',
  listWebhooks: 'GET /operator/v1/webhooks',
  listDeliveries: 'GET /operator/v1/apps/:packageName/webhook/deliveries',
  getDelivery: 'GET /operator/v1/apps/:packageName/webhook/deliveries/:deliveryId',
  redeliver: 'POST /operator/v1/apps/:packageName/webhook/deliveries/:deliveryId/redeliver',
  redeliverFailed: 'POST /operator/v1/apps/:packageName/webhook/deliveries/redeliver-failed',
  listEvents: 'GET /operator/v1/apps/:packageName/events',
  listActions: 'GET /operator/v1/actions',
  checkActions: 'GET /operator/v1/actions/check',
  createSession: 'POST /operator/v1/sessions',
  getSession: 'GET /operator/v1/sessions/current',
  deleteSession: 'DELETE /operator/v1/sessions/:sessionId',
  getClock: 'GET /operator/v1/apps/:packageName/clock',
  putClock: 'PUT /operator/v1/apps/:packageName/clock',
  advanceClock: 'POST /operator/v1/apps/:packageName/clock/advance',
  listUpcoming: 'GET /operator/v1/apps/:packageName/clock/upcoming',
  putFaults: 'PUT /operator/v1/apps/:packageName/faults',
  getFaults: 'GET /operator/v1/apps/:packageName/faults',
  putToken: 'PUT /operator/v1/apps/:packageName/token',
  listRequests: 'GET /operator/v1/apps/:packageName/requests',
  reset: 'POST /operator/v1/apps/:packageName/reset',
  createConsoleLink: 'POST /operator/v1/console-links',
} as const satisfies OperatorCallLines;

const timeoutsMs = {
  redeliverFailed: longWorkTimeoutMs,
  checkActions: longWorkTimeoutMs,
  listEvents: eventsTimeoutMs,
  advanceClock: longWorkTimeoutMs,
  reset: longWorkTimeoutMs,
} as const satisfies OperatorTimeouts;

const OperatorCalls = operationMethods<OperatorOperations>(lines, timeoutsMs);

const jsonType = { 'content-type': 'application/json' };

/** The server and the key of an OperatorClient. */
export interface OperatorClientOptions extends ConnectionOptions {
  /** An operator key; its role determines which calls are allowed. */
  readonly operatorKey: string;
}

/** Has one method for each operation of the operator API; a failed call throws OpenTillError with `problem`. */
export class OperatorClient extends OperatorCalls {
  /** @throws TypeError for an invalid host or key */
  constructor({ operatorKey, ...options }: OperatorClientOptions) {
    const connection = new Connection(options);
    if (!visibleAscii.test(operatorKey)) {
      throw new TypeError('operatorKey: expected visible ASCII characters without spaces or line breaks');
    }
    const authorization = `Bearer ${operatorKey}`;
    super((call) =>
      connection.send(call, {
        headers: { authorization, ...(call.body !== undefined && jsonType) },
        secrets: [operatorKey],
      }),
    );
  }
}

/** A call as it is sent, with the parameters of the method. */
export interface SentCall extends Pick<Call, 'operation' | 'method' | 'path' | 'body'> {
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface SessionClientOptions extends ConnectionOptions {
  /** Is called with each call, before it is sent. */
  readonly onCall?: ((call: SentCall) => void) | undefined;
}

/** The same for a page of the operator listener, whose browser sends the cookie of a session. */
export class SessionClient extends OperatorCalls {
  constructor({ onCall, ...options }: SessionClientOptions) {
    const connection = new Connection(options);
    super((call, parameters) => {
      onCall?.({ ...call, parameters });
      // A call by cookie needs a media type that a form cannot send, even without a body.
      return connection.send(call, { headers: call.method === 'GET' ? {} : jsonType, secrets: [] });
    });
  }
}
