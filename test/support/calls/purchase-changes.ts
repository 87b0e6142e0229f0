// Changes of purchases, by their app or by an operator.

import { callPurchaseApi, type HttpResponse, operate, operatorOf, type TestApp } from '../harness.ts';
import type { ServerAddress } from '../start/opentill-process.ts';

type PublicAddress = Pick<ServerAddress, 'publicUrl'>;
type OperatorAddress = Pick<ServerAddress, 'operatorUrl'>;
type Caller = Pick<TestApp, 'packageName' | 'token'>;

/** Returns any response. */
export function tryConsume(
  server: PublicAddress,
  { packageName, token }: Caller,
  purchaseId: string,
): Promise<HttpResponse> {
  return callPurchaseApi(server, { token, method: 'POST', path: `/consume/${purchaseId}/${packageName}` });
}

/** Returns any response; a rejected change also has the status 200. */
export function changeAutoPayment(
  server: PublicAddress,
  { packageName, token }: Caller,
  { purchaseId, action }: { readonly purchaseId: string; readonly action: 'cancel' | 'reactivate' },
): Promise<HttpResponse> {
  const path = `/manage-payment-status/${purchaseId}/${packageName}/${action}`;
  return callPurchaseApi(server, { token, method: 'POST', path });
}

/** Returns any response. */
export function tryVoid(
  server: OperatorAddress,
  { packageName }: Pick<TestApp, 'packageName'>,
  purchaseId: string,
): Promise<HttpResponse> {
  return operate(server, 'POST', `/apps/${packageName}/purchases/${purchaseId}/void`, { body: {} });
}

/** Fails if the void is rejected; returns the record of the purchase. */
export function voidTestPurchase(
  server: OperatorAddress,
  { packageName }: Pick<TestApp, 'packageName'>,
  purchaseId: string,
  reason?: 'customer' | 'system',
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
): Promise<any> {
  return operatorOf(server).voidPurchase({ packageName, purchaseId, reason });
}
