// Cancels or reactivates the auto-payment of a subscription, named by any of its purchases (the specification, "States
// and transitions"; the table of docs/decisions/subscriptions.md).

import { PaymentAction } from '@opentill/contract/fields.ts';
import { manageRecurringPaymentStatus as operation } from '@opentill/contract/purchase-api/manageRecurringPaymentStatus.ts';
import type { PaymentStatusChange } from '@opentill/contract/resources.ts';
import Value from 'typebox/value';
import { appAuthor } from '../../domain/author.ts';
import { parsePurchaseId } from '../../domain/identifiers.ts';
import { quoteValue } from '../../domain/text/quoted-value.ts';
import type { Store } from '../../store/store.ts';
import { type AppHandler, appHandler } from '../app-handler.ts';
import { noAction } from '../audit/action-recorder.ts';
import { Refusal } from '../refusal.ts';
import { changeAutoPayment } from './change-auto-payment.ts';

/** A developer's backend is not the customer: its cancel is shown as "other system processing". */
const developerCancelReason = '1';

export function manageRecurringPaymentStatus(store: Store): AppHandler {
  return appHandler(operation, async (call): Promise<PaymentStatusChange | Refusal> => {
    const { packageName, path, requestId } = call;
    const { action } = path;
    if (!Value.Check(PaymentAction, action)) {
      return new Refusal(
        'invalidRequest',
        `action: expected cancel or reactivate, got ${quoteValue(action)}.`,
      );
    }
    const purchaseId = parsePurchaseId(path.purchaseId);
    if (purchaseId === undefined) return new Refusal('notFound');
    const outcome = await changeAutoPayment(
      store,
      { packageName, purchaseId },
      {
        ...(action === 'cancel' ? { action, reason: developerCancelReason } : { action, by: 'app' }),
        author: { madeBy: appAuthor, requestId },
        recordAction: noAction,
      },
    );
    if (outcome === 'missing') return new Refusal('notFound');
    return { responseCode: outcome === 'changed' ? 0 : 1, purchaseId };
  });
}
