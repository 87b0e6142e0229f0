// Checks of reading subscriptions: a month by its purchase id, and the latest month by the first purchase id.

import { getLastRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getLastRecurringPurchaseDetails.ts';
import { getRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import type { TObject } from 'typebox';
import { type Answer, fieldsOf, responseText } from '../answer.ts';
import { type CheckDraft, check, numbered } from '../check.ts';
import { refused } from '../error-codes.ts';
import { unknownPurchase } from '../evidence/purchases.ts';
import { expectError, expectFields, expectShape, type Problem } from '../judgement.ts';
import { LastRecurringPurchaseShape, RecurringPurchaseShape } from '../shapes.ts';
import { judged } from '../verdict.ts';

export const subscriptionChecks = numbered('subscription', [
  ...readChecks(getRecurringPurchaseDetails, RecurringPurchaseShape),
  ...readChecks(getLastRecurringPurchaseDetails, LastRecurringPurchaseShape),
  check({
    section: 'getLastRecurringPurchaseDetails',
    rule: 'lastPurchaseId identifies the latest month: its own details have the same times.',
    needs: ['caller', 'subscription'],
    run: async ({ caller, subscription: purchaseId }) => {
      const last = await caller.call(getLastRecurringPurchaseDetails, { path: { purchaseId } });
      const { lastPurchaseId, startTime, expiryTime } = fieldsOf(last);
      const path = { purchaseId: String(lastPurchaseId) };
      const month = await caller.call(getRecurringPurchaseDetails, { path });
      return judged(expectFields(month, { startTime, expiryTime }));
    },
  }),
  check({
    section: 'getLastRecurringPurchaseDetails',
    rule: 'After a renewal, lastPurchaseId is the id of the later month.',
    needs: ['caller', 'renewedSubscription'],
    run: async ({ caller, renewedSubscription: purchaseId }) => {
      const first = await caller.call(getRecurringPurchaseDetails, { path: { purchaseId } });
      const last = await caller.call(getLastRecurringPurchaseDetails, { path: { purchaseId } });
      const { lastPurchaseId, startTime } = fieldsOf(last);
      const isLater = Number(startTime) >= Number(fieldsOf(first)['expiryTime']);
      const problem = `Expected a month that follows the one of ${purchaseId}. ${responseText(last)}`;
      return judged(lastPurchaseId !== purchaseId && isLater ? undefined : problem);
    },
  }),
]);

function readChecks(operation: PurchaseOperation, shape: TObject): CheckDraft[] {
  const { operationId } = operation;
  return [
    check({
      section: 'Resources and their fields',
      rule: `${operationId} returns its fields with the specified types and sizes.`,
      needs: ['caller', 'subscription'],
      run: async ({ caller, subscription: purchaseId }) =>
        judged(expectShape(await caller.call(operation, { path: { purchaseId } }), shape)),
    }),
    check({
      section: 'Resources and their fields',
      rule: `${operationId} returns an expiryTime after the startTime.`,
      needs: ['caller', 'subscription'],
      run: async ({ caller, subscription: purchaseId }) =>
        judged(expectOrder(await caller.call(operation, { path: { purchaseId } }))),
    }),
    check({
      section: 'Errors',
      rule: `${operationId} rejects a purchase that does not exist.`,
      needs: ['caller', 'rightCall'],
      run: async ({ caller }) => {
        const path = { purchaseId: unknownPurchase };
        return judged(expectError(await caller.call(operation, { path }), refused));
      },
    }),
  ];
}

function expectOrder(answer: Answer): Problem {
  const { startTime, expiryTime } = fieldsOf(answer);
  const isOrdered = Number(startTime) < Number(expiryTime);
  return isOrdered ? undefined : `Expected the startTime before the expiryTime. ${responseText(answer)}`;
}
