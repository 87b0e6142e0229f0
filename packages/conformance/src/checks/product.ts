// The details of a purchase, given for its own product only.

import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId } from '@opentill/contract/purchase-api/getPurchaseDetailsByProductId.ts';
import { fieldsOf } from '../answer.ts';
import { check, numbered } from '../check.ts';
import { refused } from '../error-codes.ts';
import { unknownPurchase } from '../evidence/purchases.ts';
import { expectError, expectFields, expectShape } from '../judgement.ts';
import { PurchaseShape } from '../shapes.ts';
import { judged } from '../verdict.ts';

/** Ids of other products, made of the right one. */
const otherProducts: readonly (readonly [rule: string, other: (productId: string) => string])[] = [
  ['Another product is refused.', () => 'no.such.product'],
  ['A product id that goes on after the right one is refused.', (productId) => `${productId}0`],
  ['A product id that ends before the right one is refused.', (productId) => productId.slice(0, -1)],
];

export const productChecks = numbered('product', [
  check({
    section: 'Resources and their fields',
    rule: 'Details by product have all four fields, of their types and sizes.',
    needs: ['caller', 'soldPurchase'],
    run: async ({ caller, soldPurchase }) => {
      const answer = await caller.call(getPurchaseDetailsByProductId, { path: { ...soldPurchase } });
      return judged(expectShape(answer, PurchaseShape));
    },
  }),
  check({
    section: 'getPurchaseDetailsByProductId',
    rule: 'Details by product are those of getPurchaseDetails.',
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
    rule: 'By product, a purchase that does not exist is refused.',
    needs: ['caller', 'soldPurchase'],
    run: async ({ caller, soldPurchase: { productId } }) => {
      const path = { purchaseId: unknownPurchase, productId };
      return judged(expectError(await caller.call(getPurchaseDetailsByProductId, { path }), refused));
    },
  }),
]);
