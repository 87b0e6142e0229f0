// Checks of reading one-time purchases: by id, by product, and of another app.

import type { ErrorName } from '@opentill/contract/errors.ts';
import { type OperationName, operations } from '../calls.ts';
import { type CheckDraft, detailsByProduct, endpoints, errors, resources, states } from '../check.ts';
import { unknownPurchase } from '../evidence.ts';
import { fieldsOf } from '../http-response.ts';
import { expectError, expectFields, expectShape, refused } from '../judgement.ts';
import { PurchaseShape } from '../shapes.ts';

const shownStates = [
  ['A purchase that is not consumed has consumptionState 0.', 'unconsumedPurchase', { consumptionState: 0 }],
  ['A purchase that is not cancelled has purchaseState 0.', 'unconsumedPurchase', { purchaseState: 0 }],
  ['A consumed purchase has consumptionState 1.', 'consumedPurchase', { consumptionState: 1 }],
  ['A cancelled purchase has purchaseState 1.', 'voidedPurchase', { purchaseState: 1 }],
] as const;

export const detailsChecks: readonly CheckDraft[] = [
  resources.check('Purchase details have all four fields with the specified types and sizes.', async (run) =>
    expectShape(await run.call('getPurchaseDetails', await run.unconsumedPurchase()), PurchaseShape),
  ),
  ...shownStates.map(([rule, name, state]) =>
    states.check(rule, async (run) =>
      expectFields(await run.call('getPurchaseDetails', await run[name]()), state),
    ),
  ),
  errors.check('Reading a purchase that does not exist is rejected.', async (run) =>
    expectError(await run.wrongCall('getPurchaseDetails', unknownPurchase), ...refused),
  ),
];

/** Ids of other products, derived from the correct one. */
const otherProducts: readonly (readonly [rule: string, other: (productId: string) => string])[] = [
  ['The product id of another product is rejected.', () => 'no.such.product'],
  ['The correct product id with an additional character is rejected.', (productId) => `${productId}0`],
  ['The correct product id without its last character is rejected.', (productId) => productId.slice(0, -1)],
];

export const productChecks: readonly CheckDraft[] = [
  resources.check(
    'Details by product have all four fields with the specified types and sizes.',
    async (run) =>
      expectShape(await run.call('getPurchaseDetailsByProductId', await run.soldPurchase()), PurchaseShape),
  ),
  detailsByProduct.check('Details by product equal those of getPurchaseDetails.', async (run) => {
    const details = await run.call('getPurchaseDetails', await run.soldPurchase());
    const response = await run.call('getPurchaseDetailsByProductId', await run.soldPurchase());
    return [expectShape(details, PurchaseShape), expectFields(response, fieldsOf(details))];
  }),
  ...otherProducts.map(([rule, other]) =>
    detailsByProduct.check(rule, async (run) => {
      const { purchaseId, productId } = await run.soldPurchase();
      const path = { purchaseId, productId: other(productId) };
      return expectError(await run.call('getPurchaseDetailsByProductId', path), ...refused);
    }),
  ),
  errors.check('Reading a purchase that does not exist by product is rejected.', async (run) => {
    const path = { ...(await run.soldPurchase()), ...unknownPurchase };
    return expectError(await run.call('getPurchaseDetailsByProductId', path), ...refused);
  }),
];

const own = 'with the own package name';
const other = "with that app's package name";

export const otherAppChecks: readonly CheckDraft[] = [
  refusesOther('getPurchaseDetails', own, ...refused),
  refusesOther('getPurchaseDetails', other, ...refused),
  errors.check("getVoidedPurchases with another app's package name is rejected with 9100.", async (run) => {
    const { packageName } = await run.otherPurchase();
    return expectError(await run.wrongCall('getVoidedPurchases', { packageName }), 'invalidPackageName');
  }),
  refusesOther('consumePurchase', own, 'notPurchaseCompleted'),
  refusesOther('consumePurchase', other, 'notPurchaseCompleted', ...refused),
];

function refusesOther(operation: OperationName, named: string, ...expected: ErrorName[]): CheckDraft {
  return endpoints[operations[operation].method === 'POST' ? 'changing' : 'check'](
    `${operation} rejects a purchase of another app, called ${named}.`,
    async (run) => {
      const { purchaseId, packageName } = await run.otherPurchase();
      const path = named === own ? { purchaseId } : { purchaseId, packageName };
      return expectError(await run.wrongCall(operation, path), ...expected);
    },
  );
}
