// Checks of cancelling and reactivating auto-payment. The effect on the details of the subscription is not specified, and
// not checked.

import { manageRecurringPaymentStatus } from '@opentill/contract/purchase-api/manageRecurringPaymentStatus.ts';
import { type Answer, fieldsOf, isSuccess, responseText } from '../answer.ts';
import { check, numbered } from '../check.ts';
import { refused } from '../error-codes.ts';
import { unknownPurchase } from '../evidence/purchases.ts';
import { expectError, expectFields, expectShape, type Problem } from '../judgement.ts';
import { LastRecurringPurchaseShape, PaymentStatusShape, RecurringPurchaseShape } from '../shapes.ts';
import { judged } from '../verdict.ts';

/** The last one exceeds the maximum length of an action. */
const wrongActions = ['pause', 'cancelled', 'cancellation'];

const done = { responseCode: 0 };

export const manageChecks = numbered('manage', [
  check({
    section: 'States and transitions',
    rule: 'Changing a subscription that does not exist fails.',
    needs: ['caller', 'rightCall'],
    run: async ({ caller }) => {
      const path = { purchaseId: unknownPurchase, action: 'cancel' };
      return judged(expectNotDone(await caller.call(manageRecurringPaymentStatus, { path })));
    },
  }),
  ...wrongActions.map((action) =>
    check({
      section: 'Endpoints',
      rule: `The action ${action} fails, because only cancel and reactivate are allowed.`,
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
    rule: 'A GET request does not cancel auto-payment.',
    changes: true,
    needs: ['cancellation'],
    run: ({ cancellation: { byGet } }) =>
      judged(isSuccess(byGet) ? `Expected an error. ${responseText(byGet)}` : undefined),
  }),
  check({
    section: 'States and transitions',
    rule: 'Cancelling active auto-payment returns responseCode 0.',
    changes: true,
    needs: ['cancellation'],
    run: ({ cancellation: { cancelled } }) => judged(expectFields(cancelled, done)),
  }),
  check({
    section: 'States and transitions',
    rule: 'Reactivating cancelled auto-payment returns responseCode 0.',
    changes: true,
    needs: ['cancellation'],
    run: ({ cancellation: { reactivated } }) => judged(expectFields(reactivated, done)),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'The response to a change has both fields with the specified types and sizes.',
    changes: true,
    needs: ['cancellation'],
    run: ({ cancellation: { cancelled, reactivated } }) =>
      judged(...[cancelled, reactivated].map((answer) => expectShape(answer, PaymentStatusShape))),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'The response to a change has the purchaseId of the request.',
    changes: true,
    needs: ['cancellation'],
    run: ({ cancellation: { cancelled, subscription } }) =>
      judged(expectFields(cancelled, { purchaseId: subscription })),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'getRecurringPurchaseDetails of a cancelled subscription has fields of the specified types and sizes.',
    changes: true,
    needs: ['cancellation'],
    run: ({ cancellation: { details } }) => judged(expectShape(details, RecurringPurchaseShape)),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'getLastRecurringPurchaseDetails of a cancelled subscription has fields of the specified types and sizes.',
    changes: true,
    needs: ['cancellation'],
    run: ({ cancellation: { lastDetails } }) => judged(expectShape(lastDetails, LastRecurringPurchaseShape)),
  }),
]);

/** Expects an error, or responseCode 1, which means failure. */
function expectNotDone(answer: Answer): Problem {
  return fieldsOf(answer)['responseCode'] === 1 ? undefined : expectError(answer, refused);
}
