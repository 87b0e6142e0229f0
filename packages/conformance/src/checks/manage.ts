// Checks of cancelling and reactivating auto-payment. The effect on the details of the subscription is not specified, and
// not checked.

import { type CheckDraft, endpoints, resources, states } from '../check.ts';
import { unknownPurchase } from '../evidence.ts';
import { fieldsOf, type HttpResponse, isSuccess } from '../http-response.ts';
import { expectError, expectFields, expectShape, expectThat, refused } from '../judgement.ts';
import { LastRecurringPurchaseShape, PaymentStatusShape, RecurringPurchaseShape } from '../shapes.ts';
import type { Problem } from '../verdict.ts';

/** The last one exceeds the maximum length of an action. */
const wrongActions = ['pause', 'cancelled', 'cancellation'];

const done = { responseCode: 0 };

export const manageChecks: readonly CheckDraft[] = [
  states.check('Changing a subscription that does not exist fails.', async (run) =>
    expectNotDone(
      await run.wrongCall('manageRecurringPaymentStatus', { ...unknownPurchase, action: 'cancel' }),
    ),
  ),
  ...wrongActions.map((action) =>
    endpoints.changing(
      `The action ${action} fails, because only cancel and reactivate are allowed.`,
      async (run) =>
        expectNotDone(
          await run.call('manageRecurringPaymentStatus', { ...(await run.subscription()), action }),
        ),
    ),
  ),
  endpoints.changing('A GET request does not cancel auto-payment.', async (run) => {
    const { byGet } = await run.cancellation();
    return expectThat(!isSuccess(byGet), 'Expected an error.', byGet);
  }),
  states.changing('Cancelling active auto-payment returns responseCode 0.', async (run) =>
    expectFields((await run.cancellation()).cancelled, done),
  ),
  states.changing('Reactivating cancelled auto-payment returns responseCode 0.', async (run) =>
    expectFields((await run.cancellation()).reactivated, done),
  ),
  resources.changing(
    'The response to a change has both fields with the specified types and sizes.',
    async (run) => {
      const { cancelled, reactivated } = await run.cancellation();
      return [cancelled, reactivated].map((response) => expectShape(response, PaymentStatusShape));
    },
  ),
  resources.changing('The response to a change has the purchaseId of the request.', async (run) => {
    const { cancelled, purchaseId } = await run.cancellation();
    return expectFields(cancelled, { purchaseId });
  }),
  resources.changing(
    'getRecurringPurchaseDetails of a cancelled subscription has fields of the specified types and sizes.',
    async (run) => expectShape((await run.cancellation()).details, RecurringPurchaseShape),
  ),
  resources.changing(
    'getLastRecurringPurchaseDetails of a cancelled subscription has fields of the specified types and sizes.',
    async (run) => expectShape((await run.cancellation()).lastDetails, LastRecurringPurchaseShape),
  ),
];

/** Expects an error, or responseCode 1, which means failure. */
function expectNotDone(response: HttpResponse): Problem {
  return fieldsOf(response)['responseCode'] === 1 ? undefined : expectError(response, ...refused);
}
