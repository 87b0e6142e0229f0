// Records a purchase that the store's checkout has made; repeating the call records nothing twice.

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
import type { OperatorOperation } from './operator-operation.ts';

export const recordPurchase = {
  operationId: 'recordPurchase',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/purchases',
  summary: 'Record a purchase',
  description:
    'A purchase of a subscription product starts a subscription. With a purchaseId or an orderId the call can be repeated: it answers 200 with the record that is there when every field that was sent agrees with it, and 409 otherwise. Not sent: purchaseId is drawn, purchaseTime is now, price is that of the product, developerPayload is "".',
  roles: ['record', 'admin'],
  inSandboxApi: true,
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
    },
    { additionalProperties: false },
  ),
  responses: { 200: Purchase, 201: Purchase },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
