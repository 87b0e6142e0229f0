// Cancelling and reactivating the auto-payment of a subscription. What that does to the details of the
// subscription is not specified, and not looked at.

import { manageRecurringPaymentStatus } from '@opentill/contract/purchase-api/manageRecurringPaymentStatus.ts';
import { type Answer, fieldsOf, isSuccess, shown } from '../answer.ts';
import { check, numbered } from '../check.ts';
import { refused } from '../error-codes.ts';
import { unknownPurchase } from '../evidence/purchases.ts';
import { expectError, expectFields, expectShape, type Problem } from '../judgement.ts';
import { LastRecurringPurchaseShape, PaymentStatusShape, RecurringPurchaseShape } from '../shapes.ts';
import { judged } from '../verdict.ts';

/** The last has more characters than an action may have. */
const wrongActions = ['pause', 'cancelled', 'cancellation'];

const done = { responseCode: 0 };

export const manageChecks = numbered('manage', [
  check({
    section: 'States and transitions',
    rule: 'A subscription that does not exist is not changed.',
    needs: ['caller', 'rightCall'],
    run: async ({ caller }) => {
      const path = { purchaseId: unknownPurchase, action: 'cancel' };
      return judged(expectNotDone(await caller.call(manageRecurringPaymentStatus, { path })));
    },
  }),
  ...wrongActions.map((action) =>
    check({
      section: 'Endpoints',
      rule: `The action ${action} is not carried out: only cancel and reactivate are allowed.`,
      changes: true,
      needs: ['caller', 'subscription'],
      run: async ({ caller, subscription: purchaseId }) => {
        const path = { purchaseId, action };
        return judged(expectNotDone(await caller.call(manageRecurringPaymentStatus, { path })));
      },
    }),
  ),
  check({
    section: 'Endpoints',
    rule: 'A GET cancels nothing.',
    changes: true,
    needs: ['cancellation'],
    run: ({ cancellation: { byGet } }) =>
      judged(isSuccess(byGet) ? `Expected it to be refused. ${shown(byGet)}` : undefined),
  }),
  check({
    section: 'States and transitions',
    rule: 'Active auto-payment is cancelled: responseCode 0.',
    changes: true,
    needs: ['cancellation'],
    run: ({ cancellation: { cancelled } }) => judged(expectFields(cancelled, done)),
  }),
  check({
    section: 'States and transitions',
    rule: 'Cancelled auto-payment is reactivated: responseCode 0.',
    changes: true,
    needs: ['cancellation'],
    run: ({ cancellation: { reactivated } }) => judged(expectFields(reactivated, done)),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'The result of a change has both fields, of their types and sizes.',
    changes: true,
    needs: ['cancellation'],
    run: ({ cancellation: { cancelled, reactivated } }) =>
      judged(...[cancelled, reactivated].map((answer) => expectShape(answer, PaymentStatusShape))),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'The result of a change names the purchase that was asked for.',
    changes: true,
    needs: ['cancellation'],
    run: ({ cancellation: { cancelled, subscription } }) =>
      judged(expectFields(cancelled, { purchaseId: subscription })),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'getRecurringPurchaseDetails of a cancelled subscription has fields of their types and sizes.',
    changes: true,
    needs: ['cancellation'],
    run: ({ cancellation: { details } }) => judged(expectShape(details, RecurringPurchaseShape)),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'getLastRecurringPurchaseDetails of a cancelled subscription has fields of their types and sizes.',
    changes: true,
    needs: ['cancellation'],
    run: ({ cancellation: { lastDetails } }) => judged(expectShape(lastDetails, LastRecurringPurchaseShape)),
  }),
]);

/** Refused, or responseCode 1, which says that nothing was done. */
function expectNotDone(answer: Answer): Problem {
  return fieldsOf(answer)['responseCode'] === 1 ? undefined : expectError(answer, refused);
}
