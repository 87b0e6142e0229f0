// Reads a one-time purchase if it is a purchase of the given product (the specification,
// "getPurchaseDetailsByProductId").

import { PackageName, ProductId, PurchaseId } from '../fields.ts';
import { PurchaseDetails } from '../resources.ts';
import { needsContentType, type PurchaseOperation } from './purchase-operation.ts';

export const getPurchaseDetailsByProductId = {
  operationId: 'getPurchaseDetailsByProductId',
  method: 'GET',
  path: '/v2/purchase/details-by-productid/:purchaseId/:packageName/:productId',
  summary: 'Read the details of a one-time purchase of a given product',
  description: needsContentType,
  pathParameters: { purchaseId: PurchaseId, packageName: PackageName, productId: ProductId },
  response: PurchaseDetails,
  foreignPackageError: 'notFound',
  errors: ['unauthorized', 'invalidRequest', 'notFound'],
} as const satisfies PurchaseOperation;
