// Reads a one-time purchase (the specification, "Endpoints").

import { PackageName, PurchaseId } from '../fields.ts';
import { PurchaseDetails } from '../resources.ts';
import { needsContentType, type PurchaseOperation } from './purchase-operation.ts';

export const getPurchaseDetails = {
  operationId: 'getPurchaseDetails',
  method: 'GET',
  path: '/v2/purchase/details/:purchaseId/:packageName',
  summary: 'Read the details of a one-time purchase',
  description: needsContentType,
  pathParameters: { purchaseId: PurchaseId, packageName: PackageName },
  response: PurchaseDetails,
  foreignPackageError: 'notFound',
  errors: ['unauthorized', 'invalidRequest', 'notFound'],
} as const satisfies PurchaseOperation;
