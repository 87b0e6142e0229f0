// Reads what the purchase API returns for a purchase.

import Type from 'typebox';
import { PurchaseApiError } from '../errors.ts';
import { PackageName, PurchaseId } from '../fields.ts';
import { LastRecurringPurchaseDetails, PurchaseDetails, RecurringPurchaseDetails } from '../resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getDeveloperView = {
  operationId: 'getDeveloperView',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/purchases/:purchaseId/developer-view',
  summary: 'Read what the purchase API returns for a purchase',
  description:
    'Runs the reads of the purchase API for this kind of purchase, as a call with a valid access token would, but without the faults of the sandbox and without an entry in the request log.',
  roles: ['read', 'support', 'admin'],
  pathParameters: { packageName: PackageName, purchaseId: PurchaseId },
  responses: {
    200: Type.Object({
      calls: Type.Array(
        Type.Object({
          operationId: Type.String(),
          path: Type.String({ description: 'The path of the call on the public listener.' }),
          httpStatus: Type.Integer(),
          body: Type.Union([
            PurchaseDetails,
            RecurringPurchaseDetails,
            LastRecurringPurchaseDetails,
            PurchaseApiError,
          ]),
        }),
      ),
    }),
  },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
