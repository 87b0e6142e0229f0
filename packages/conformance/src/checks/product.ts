// Checks that the details of a purchase are returned for its own product only.

import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId } from '@opentill/contract/purchase-api/getPurchaseDetailsByProductId.ts';
import { fieldsOf } from '../answer.ts';
import { check, numbered } from '../check.ts';
import { refused } from '../error-codes.ts';
import { unknownPurchase } from '../evidence/purchases.ts';
import { expectError, expectFields, expectShape } from '../judgement.ts';
import { PurchaseShape } from '../shapes.ts';
import { judged } from '../verdict.ts';

/** Ids of other products, derived from the correct one. */
const otherProducts: readonly (readonly [rule: string, other: (productId: string) => string])[] = [
  ['The product id of another product is rejected.', () => 'no.such.product'],
  ['The correct product id with an additional character is rejected.', (productId) => `${productId}0`],
  ['The correct product id without its last character is rejected.', (productId) => productId.slice(0, -1)],
];

export const productChecks = numbered('product', [
  check({
    section: 'Resources and their fields',
    rule: 'Details by product have all four fields with the specified types and sizes.',
    needs: ['caller', 'soldPurchase'],
    run: async ({ caller, soldPurchase }) => {
      const answer = await caller.call(getPurchaseDetailsByProductId, { path: { ...soldPurchase } });
      return judged(expectShape(answer, PurchaseShape));
    },
  }),
  check({
    section: 'getPurchaseDetailsByProductId',
    rule: 'Details by product equal those of getPurchaseDetails.',
    needs: ['caller', 'soldPurchase'],
    run: async ({ caller, soldPurchase: { purchaseId, productId } }) => {
      const details = await caller.call(getPurchaseDetails, { path: { purchaseId } });
      const answer = await caller.call(getPurchaseDetailsByProductId, { path: { purchaseId, productId } });
      return judged(expectShape(details, PurchaseShape), expectFields(answer, fieldsOf(details)));
    },
  }),
  ...otherProducts.map(([rule, other]) =>
    check({
      section: 'getPurchaseDetailsByProductId',
      rule,
      needs: ['caller', 'soldPurchase'],
      run: async ({ caller, soldPurchase: { purchaseId, productId } }) => {
        const path = { purchaseId, productId: other(productId) };
        return judged(expectError(await caller.call(getPurchaseDetailsByProductId, { path }), refused));
      },
    }),
  ),
  check({
    section: 'Errors',
    rule: 'Reading a purchase that does not exist by product is rejected.',
    needs: ['caller', 'soldPurchase'],
    run: async ({ caller, soldPurchase: { productId } }) => {
      const path = { purchaseId: unknownPurchase, productId };
      return judged(expectError(await caller.call(getPurchaseDetailsByProductId, { path }), refused));
    },
  }),
]);
