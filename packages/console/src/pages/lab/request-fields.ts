// The filters of the logged calls of an app, in the address of the lab.

import type { LoggedRequest } from '@opentill/client/operator';
import type { FilterFields, Search } from '../../parts/filter-fields.ts';

type HintName = LoggedRequest['hints'][number]['hint'];

const same = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

const purchaseOperations = [
  'getAccessToken',
  'getPurchaseDetails',
  'getPurchaseDetailsByProductId',
  'getRecurringPurchaseDetails',
  'getLastRecurringPurchaseDetails',
  'manageRecurringPaymentStatus',
  'getVoidedPurchases',
  'consumePurchase',
] as const;

const hints: Readonly<Record<HintName, string>> = {
  contentTypeMissing: 'contentTypeMissing',
  bearerLowerCase: 'bearerLowerCase',
  bearerMissing: 'bearerMissing',
  tokenInBrackets: 'tokenInBrackets',
  bearerSpaceMissing: 'bearerSpaceMissing',
  authorizationMalformed: 'authorizationMalformed',
  tokenExpired: 'tokenExpired',
  tokenExpelled: 'tokenExpelled',
  clientSecretWrong: 'clientSecretWrong',
  secretHasWhitespace: 'secretHasWhitespace',
  secretNotEncoded: 'secretNotEncoded',
  credentialsInQuery: 'credentialsInQuery',
  credentialsInHeader: 'credentialsInHeader',
  otherPackage: 'otherPackage',
  recordMissing: 'recordMissing',
  notCompleted: 'notCompleted',
  consumptionFinal: 'consumptionFinal',
};

export const requestFields = {
  operationId: { label: 'Operation', options: same(purchaseOperations) },
  status: {
    label: 'Status',
    options: same(['200', '400', '401', '404', '409', '413', '429', '431', '500', '503']),
  },
  hint: { label: 'Hint', options: hints },
} as const satisfies FilterFields;

export function requestFilterOf({ operationId, status, hint }: Search) {
  return {
    ...(operationId !== undefined && { operationId }),
    ...(status !== undefined && { status: Number(status) }),
    ...(hint !== undefined && { hint: hint as HintName }),
  };
}
