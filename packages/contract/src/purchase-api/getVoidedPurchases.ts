// Lists voided purchases, page by page (the specification, "getVoidedPurchases query parameters").

import Type from 'typebox';
import { maxResults, PackageName, sizes } from '../fields.ts';
import { patternText } from '../patterns.ts';
import { VoidedPurchases } from '../resources.ts';
import { needsContentType, type PurchaseOperation } from './purchase-operation.ts';

const instant = (description: string) =>
  Type.Optional(patternText('^[0-9]{13}$', '13 digits (ms since 1970)', { description }));

export const VoidedPurchasesQuery = Type.Object({
  continuationKey: Type.Optional(
    Type.String({
      minLength: sizes.continuationKey,
      maxLength: sizes.continuationKey,
      description:
        'The continuationKey of the previous page. The range of the first request applies. An empty value counts as absent.',
    }),
  ),
  startTime: instant('Start of the range in ms, at most 31 days ago. Alone: the range ends 31 days later.'),
  endTime: instant(
    'End of the range in ms, not in the future. Alone: the range starts 31 days before, however long ago that is.',
  ),
  maxResults: Type.Optional(
    Type.Integer({
      minimum: maxResults.min,
      maximum: maxResults.max,
      default: maxResults.default,
      description: 'Maximum number of entries. An empty value counts as absent.',
    }),
  ),
});

export const getVoidedPurchases = {
  operationId: 'getVoidedPurchases',
  method: 'GET',
  path: '/v2/purchase/voided-purchases/:packageName',
  summary: 'List voided purchases',
  description: needsContentType,
  pathParameters: { packageName: PackageName },
  query: VoidedPurchasesQuery,
  response: VoidedPurchases,
  foreignPackageError: 'invalidPackageName',
  errors: ['unauthorized', 'invalidRequest', 'invalidPackageName', 'searchRuleViolated'],
} as const satisfies PurchaseOperation;
