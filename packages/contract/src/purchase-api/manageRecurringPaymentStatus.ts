// Cancels or reactivates the auto-payment of a subscription (the specification, "States and transitions").

import { PackageName, PaymentAction, PurchaseId } from '../fields.ts';
import { PaymentStatusChange } from '../resources.ts';
import { needsContentType, type PurchaseOperation } from './purchase-operation.ts';

export const manageRecurringPaymentStatus = {
  operationId: 'manageRecurringPaymentStatus',
  method: 'POST',
  path: '/v2/purchase/manage-payment-status/:purchaseId/:packageName/:action',
  summary: 'Cancel or reactivate the auto-payment of a subscription',
  description: needsContentType,
  pathParameters: { purchaseId: PurchaseId, packageName: PackageName, action: PaymentAction },
  response: PaymentStatusChange,
  foreignPackageError: 'notFound',
  errors: ['unauthorized', 'invalidRequest', 'notFound'],
} as const satisfies PurchaseOperation;
