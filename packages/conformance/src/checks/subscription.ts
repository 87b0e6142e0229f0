// Checks of reading subscriptions: a period by its purchase id, and the latest period by the first purchase id.

import { type CheckDraft, errors, lastDetails, resources } from '../check.ts';
import { unknownPurchase } from '../evidence.ts';
import { fieldsOf } from '../http-response.ts';
import { expectError, expectFields, expectShape, expectThat, refused } from '../judgement.ts';
import { LastRecurringPurchaseShape, RecurringPurchaseShape } from '../shapes.ts';

const reads = [
  ['getRecurringPurchaseDetails', RecurringPurchaseShape],
  ['getLastRecurringPurchaseDetails', LastRecurringPurchaseShape],
] as const;

export const subscriptionChecks: readonly CheckDraft[] = [
  ...reads.flatMap(([operation, shape]) => [
    resources.check(`${operation} returns its fields with the specified types and sizes.`, async (run) =>
      expectShape(await run.call(operation, await run.subscription()), shape),
    ),
    resources.check(`${operation} returns an expiryTime after the startTime.`, async (run) => {
      const response = await run.call(operation, await run.subscription());
      const { startTime, expiryTime } = fieldsOf(response);
      const isOrdered = Number(startTime) < Number(expiryTime);
      return expectThat(isOrdered, 'Expected the startTime before the expiryTime.', response);
    }),
    errors.check(`${operation} rejects a purchase that does not exist.`, async (run) =>
      expectError(await run.wrongCall(operation, unknownPurchase), ...refused),
    ),
  ]),
  lastDetails.check(
    'lastPurchaseId identifies the latest period: its own details have the same times.',
    async (run) => {
      const last = await run.call('getLastRecurringPurchaseDetails', await run.subscription());
      const { lastPurchaseId, startTime, expiryTime } = fieldsOf(last);
      const paidPeriod = await run.call('getRecurringPurchaseDetails', {
        purchaseId: String(lastPurchaseId),
      });
      return expectFields(paidPeriod, { startTime, expiryTime });
    },
  ),
  lastDetails.check('After a renewal, lastPurchaseId is the id of the later period.', async (run) => {
    const { purchaseId } = await run.renewedSubscription();
    const first = await run.call('getRecurringPurchaseDetails', { purchaseId });
    const last = await run.call('getLastRecurringPurchaseDetails', { purchaseId });
    const { lastPurchaseId, startTime } = fieldsOf(last);
    const isLater = Number(startTime) >= Number(fieldsOf(first)['expiryTime']);
    return expectThat(
      lastPurchaseId !== purchaseId && isLater,
      `Expected a period that follows the one of ${purchaseId}.`,
      last,
    );
  }),
];
