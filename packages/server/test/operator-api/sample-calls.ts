// Calls that every operation of the operator API accepts, for tests of what all of them have in common.

import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { testNow } from '../harness.ts';

/** What every test of all operations works on. */
export const path = {
  packageName: 'com.example.game',
  productId: 'coins',
  purchaseId: 'there',
  firstPurchaseId: 'subscribed',
  /** Known once there is one. */
  deliveryId: '',
};
/** What these take away, no other operation looks at. */
const emptying: readonly string[] = ['reset', 'deleteWebhook'];
export const pathFor = ({ operationId }: OperatorOperation) =>
  emptying.includes(operationId) ? { packageName: 'com.example.emptied' } : path;
/** Nobody listens there. */
export const closedUrl = 'http://127.0.0.1:1024/hooks';
/** A body that each operation accepts, where one is needed. */
export const bodies: Readonly<Record<string, object>> = {
  createApp: { packageName: 'com.example.fresh' },
  updateApp: {},
  putProduct: { type: 'one_time', price: 499, currency: 'EUR' },
  recordPurchase: { productId: 'coins' },
  putClock: { mode: 'running' },
  advanceClock: { by: 'PT1S' },
  putFaults: [{ operation: 'charge', outcome: 'pending', times: 1 }],
  putToken: { expiresIn: 3600 },
  putWebhook: { url: closedUrl },
  redeliverFailed: { since: testNow },
};
/** The same body with a field that the operation does not know, in its first entry where it is a list. */
export function withUnknown(body: object = {}, unknown = 'x'): object {
  return Array.isArray(body) ? [{ ...body[0], unknown }] : { ...body, unknown };
}
export const queries: Readonly<Record<string, Record<string, string>>> = {
  searchPurchases: { purchaseId: 'there' },
};
