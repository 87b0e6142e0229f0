// Checks that an app cannot reach the purchases of another app.

import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import { type CheckDraft, check, numbered } from '../check.ts';
import { invalidPackageName, notPurchaseCompleted, refused } from '../error-codes.ts';
import { expectError } from '../judgement.ts';
import { judged } from '../verdict.ts';

export const otherAppChecks = numbered('other-app', [
  refuses(getPurchaseDetails, 'with the own package name', refused),
  refuses(getPurchaseDetails, "with that app's package name", refused),
  check({
    section: 'Errors',
    rule: "getVoidedPurchases with another app's package name is rejected with 9100.",
    needs: ['caller', 'rightCall', 'otherPurchase'],
    run: async ({ caller, otherPurchase: { packageName } }) => {
      const answer = await caller.call(getVoidedPurchases, { path: { packageName } });
      return judged(expectError(answer, invalidPackageName));
    },
  }),
  refuses(consumePurchase, 'with the own package name', notPurchaseCompleted),
  refuses(consumePurchase, "with that app's package name", [...notPurchaseCompleted, ...refused]),
]);

function refuses(
  operation: PurchaseOperation,
  named: 'with the own package name' | "with that app's package name",
  codes: readonly number[],
): CheckDraft {
  return check({
    section: 'Endpoints',
    rule: `${operation.operationId} rejects a purchase of another app, called ${named}.`,
    ...(operation.method === 'POST' && { changes: true }),
    needs: ['caller', 'rightCall', 'otherPurchase'],
    run: async ({ caller, otherPurchase: { purchaseId, packageName } }) => {
      const path = named === 'with the own package name' ? { purchaseId } : { purchaseId, packageName };
      return judged(expectError(await caller.call(operation, { path }), codes));
    },
  });
}
