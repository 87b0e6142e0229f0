// Changes the price of the periods that follow the present one.

import Type from 'typebox';
import { reasonFields } from '../actions.ts';
import { PackageName, Price, PurchaseId } from '../fields.ts';
import { ChangedSubscription } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const changeRenewalPrice = {
  operationId: 'changeRenewalPrice',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/subscriptions/:firstPurchaseId/change-renewal-price',
  summary: 'Change the renewal price of a subscription',
  description:
    'It is charged from the next period on; paid periods keep their price, and the currency stays. With consent, auto-payment is off until the customer consents, as by cancelSubscription with consent. The price that the subscription has already changes nothing, not even with consent, so a call can be repeated. 409 while a charge is open and once the period is over.',
  roles: ['support', 'admin'],
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName, firstPurchaseId: PurchaseId },
  body: Type.Object(
    {
      price: Type.Integer({
        ...Price,
        description: 'The price of each period after the present one; 0 renews without a charge.',
      }),
      consent: Type.Optional(
        Type.Literal('awaited', { description: 'Auto-payment is off until the customer consents.' }),
      ),
      ...reasonFields,
    },
    { additionalProperties: false },
  ),
  responses: { 200: ChangedSubscription },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
