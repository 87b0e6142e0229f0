// Calls of the backend in groups: calls that follow each other with the same operation and result are one.

import type { LoggedRequest } from '@opentill/client/operator';

export type RequestGroup = readonly [LoggedRequest, ...LoggedRequest[]];

export function groupsOf(requests: readonly LoggedRequest[]): RequestGroup[] {
  const groups: [LoggedRequest, ...LoggedRequest[]][] = [];
  for (const request of requests) {
    const last = groups.at(-1);
    if (last !== undefined && resultOf(last[0]) === resultOf(request)) last.push(request);
    else groups.push([request]);
  }
  return groups;
}

function resultOf({ operationId, httpStatus, errorCode, fault, hints }: LoggedRequest): string {
  return [operationId, httpStatus, errorCode, fault, ...hints.map(({ hint }) => hint)].join(' ');
}

/** "200", "409 9201", "401" or "no response". */
export function statusText({ httpStatus, errorCode }: LoggedRequest): string {
  if (httpStatus === undefined) return 'no response';
  return errorCode === undefined || errorCode === httpStatus
    ? String(httpStatus)
    : `${httpStatus} ${errorCode}`;
}

/** The purchase that the call is about: the paths of consumePurchase and most reads begin with it. */
export function purchaseIdOf({ operationId, path }: LoggedRequest): string | undefined {
  if (!operationsOfPurchase.has(operationId)) return undefined;
  const id = path.split(/[/?]/)[4];
  return id === undefined || id === '' ? undefined : decodeURIComponent(id);
}

const operationsOfPurchase: ReadonlySet<string> = new Set([
  'getPurchaseDetails',
  'getPurchaseDetailsByProductId',
  'getRecurringPurchaseDetails',
  'getLastRecurringPurchaseDetails',
  'manageRecurringPaymentStatus',
  'consumePurchase',
]);

const alreadyConsumed = 9201;

/** The earlier call that consumed the purchase; undefined if the list does not contain it. */
export function consumedBy(
  request: LoggedRequest,
  requests: readonly LoggedRequest[],
): LoggedRequest | undefined {
  if (request.errorCode !== alreadyConsumed) return undefined;
  const purchaseId = purchaseIdOf(request);
  return requests.find(
    (earlier) =>
      earlier.operationId === 'consumePurchase' &&
      purchaseIdOf(earlier) === purchaseId &&
      earlier.errorCode === undefined &&
      earlier.time <= request.time,
  );
}
