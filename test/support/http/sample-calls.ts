// A valid call of every operation of the operator API, for tests of their common properties.

import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { adminKey, testNow } from '../harness.ts';

/** The records that the calls use. */
export const path = {
  packageName: 'com.example.game',
  productId: 'coins',
  purchaseId: 'there',
  firstPurchaseId: 'subscribed',
  /** Set when there is a delivery. */
  deliveryId: '',
  name: 'soFar',
  periodIndex: '1',
  attempt: '1',
};
/** Records that are deleted, and that no other operation uses. */
const emptying: readonly string[] = ['reset', 'deleteWebhook'];
export const pathFor = ({ operationId }: OperatorOperation) =>
  emptying.includes(operationId) ? { packageName: 'com.example.emptied' } : path;
/** A URL without a receiver. */
export const closedUrl = 'http://127.0.0.1:1024/hooks';
/** A valid body for each operation that needs one, with which it changes something. */
export const bodies: Readonly<Record<string, object>> = {
  createApp: { packageName: 'com.example.fresh' },
  updateApp: { name: 'New' },
  putProduct: { type: 'oneTime', price: 499, currency: 'EUR' },
  recordPurchase: { productId: 'coins' },
  eraseBuyer: { buyerId: 'the buyer' },
  putClock: { mode: 'frozen' },
  advanceClock: { by: 'PT1S' },
  putFaults: [{ operation: 'charge', outcome: 'pending', times: 1 }],
  putToken: { expiresIn: 60 },
  putWebhook: { url: `${closedUrl}/moved` },
  redeliverFailed: { since: testNow - 60_000 },
  changeRenewalPrice: { price: 599 },
  extendSubscription: { expiryTime: testNow + 40 * 86_400_000 },
  settleAttempt: { outcome: 'paid', note: 'seen at the provider' },
  createSession: { key: adminKey },
  createConsoleLink: { role: 'support' },
};
/** The same body with an unknown field, in the first entry if it is a list. */
export function withUnknown(body: object = {}, unknown = 'x'): object {
  return Array.isArray(body) ? [{ ...body[0], unknown }] : { ...body, unknown };
}
export const queries: Readonly<Record<string, Record<string, string>>> = {
  listPurchases: { purchaseId: 'there' },
  search: { q: 'there' },
  getRenewals: { packageName: path.packageName },
  getStatistics: { from: '2026-03-01', to: '2026-03-31' },
};
