// Erases the personal data of one buyer.

import Type from 'typebox';
import { reasonFields } from '../actions.ts';
import { BuyerId, PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

const BuyerErasure = Type.Object(
  {
    rows: Type.Integer({ minimum: 0, description: 'Rows that this call changed.' }),
    done: Type.Boolean({ description: 'Whether nothing of the buyer is left. If false, repeat the call.' }),
  },
  { $id: 'BuyerErasure' },
);

export const eraseBuyer = {
  operationId: 'eraseBuyer',
  method: 'POST',
  path: '/operator/v1/buyers/erase',
  summary: 'Erase the personal data of a buyer',
  description:
    'Removes the buyer id, and replaces developer payloads by "", in the purchases, subscriptions, events and deliveries of the buyer: in one app, or in all without packageName. A call works for up to 2 seconds: repeat it until done is true. 409 while a subscription of the buyer has auto-payment on or an open charge: cancel it first.',
  roles: ['admin'],
  acrossApps: true,
  pathParameters: {},
  body: Type.Object(
    {
      buyerId: BuyerId,
      packageName: Type.Optional(PackageName),
      checkOnly: Type.Optional(
        Type.Boolean({ description: 'Changes nothing: 409 as without it, or 200 with 0 rows.' }),
      ),
      ticket: reasonFields.ticket,
    },
    { additionalProperties: false },
  ),
  responses: { 200: BuyerErasure },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'conflict'],
} as const satisfies OperatorOperation;
