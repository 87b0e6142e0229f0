// Checks of the details of one-time purchases.

import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { type CheckDraft, check, numbered } from '../check.ts';
import { refused } from '../error-codes.ts';
import { unknownPurchase } from '../evidence/purchases.ts';
import { expectError, expectFields, expectShape } from '../judgement.ts';
import { PurchaseShape } from '../shapes.ts';
import { judged } from '../verdict.ts';

export const detailsChecks = numbered('details', [
  check({
    section: 'Resources and their fields',
    rule: 'Purchase details have all four fields with the specified types and sizes.',
    needs: ['caller', 'unconsumedPurchase'],
    run: async ({ caller, unconsumedPurchase: purchaseId }) =>
      judged(expectShape(await caller.call(getPurchaseDetails, { path: { purchaseId } }), PurchaseShape)),
  }),
  showsState('A purchase that is not consumed has consumptionState 0.', 'unconsumedPurchase', {
    consumptionState: 0,
  }),
  showsState('A purchase that is not cancelled has purchaseState 0.', 'unconsumedPurchase', {
    purchaseState: 0,
  }),
  showsState('A consumed purchase has consumptionState 1.', 'consumedPurchase', { consumptionState: 1 }),
  check({
    section: 'States and transitions',
    rule: 'A cancelled purchase has purchaseState 1.',
    needs: ['caller', 'voidedPurchase'],
    run: async ({ caller, voidedPurchase: { purchaseId } }) =>
      judged(
        expectFields(await caller.call(getPurchaseDetails, { path: { purchaseId } }), { purchaseState: 1 }),
      ),
  }),
  check({
    section: 'Errors',
    rule: 'Reading a purchase that does not exist is rejected.',
    needs: ['caller', 'rightCall'],
    run: async ({ caller }) => {
      const path = { purchaseId: unknownPurchase };
      return judged(expectError(await caller.call(getPurchaseDetails, { path }), refused));
    },
  }),
]);

function showsState(
  rule: string,
  name: 'unconsumedPurchase' | 'consumedPurchase',
  state: Readonly<Record<string, number>>,
): CheckDraft {
  return check({
    section: 'States and transitions',
    rule,
    needs: ['caller', name],
    run: async ({ caller, [name]: purchaseId }) =>
      judged(expectFields(await caller.call(getPurchaseDetails, { path: { purchaseId } }), state)),
  });
}
