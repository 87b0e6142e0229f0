// Records a purchase of the store's checkout; a retried call records nothing twice.

import Type from 'typebox';
import {
  BuyerId,
  DeveloperPayload,
  OrderId,
  PackageName,
  Price,
  ProductId,
  PurchaseId,
  Timestamp,
} from '../fields.ts';
import { Purchase } from '../operator-resources.ts';
import { FirstPeriod } from '../periods.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const recordPurchase = {
  operationId: 'recordPurchase',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/purchases',
  summary: 'Record a purchase',
  description:
    'A purchase of a subscription product starts a subscription. A call with a purchaseId or an orderId can be retried: if the purchase exists, the response is 200 with its record, or 409 with the fields that differ. Fields that were not sent match as follows: purchaseId, purchaseTime and price match any value, also after a change of the product; developerPayload matches "", and orderId, buyerId, firstPeriod and, without a firstPeriod, renewalPrice match none. consumed true matches a purchase that is consumed by now, false any. Of a purchase whose buyer was erased, buyerId and developerPayload are not compared. Production requires a purchaseId or an orderId. Defaults: a random purchaseId, purchaseTime now, the price of the product, developerPayload "".',
  roles: ['record', 'admin'],
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName },
  body: Type.Object(
    {
      productId: ProductId,
      purchaseId: Type.Optional(PurchaseId),
      orderId: Type.Optional(OrderId),
      purchaseTime: Type.Optional(Timestamp),
      developerPayload: Type.Optional(DeveloperPayload),
      buyerId: Type.Optional(BuyerId),
      price: Type.Optional(Price),
      firstPeriod: Type.Optional(FirstPeriod),
      renewalPrice: Type.Optional(
        Type.Integer({
          ...Price,
          description:
            'The price of each period after the first, of a subscription product only. Without it, a subscription renews at the price that was sent, or else at that of the product.',
        }),
      ),
      consumed: Type.Optional(
        Type.Boolean({
          description:
            'Whether the device has consumed it, of a one-time product only: it is consumed at its purchaseTime.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  responses: { 200: Purchase, 201: Purchase },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
