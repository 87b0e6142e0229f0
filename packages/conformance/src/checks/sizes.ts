// Checks of values of the maximum size, and of longer ones.

import { sizes } from '@opentill/contract/fields.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId } from '@opentill/contract/purchase-api/getPurchaseDetailsByProductId.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { fieldsOf } from '../answer.ts';
import { check, numbered } from '../check.ts';
import { invalidPackageName, refused, searchRuleViolated } from '../error-codes.ts';
import { msPerDay } from '../evidence/subscriptions.ts';
import { expectError, expectFields, expectSuccess } from '../judgement.ts';
import { judged } from '../verdict.ts';

/** Numbers that are valid except for one digit too many. */
const longNumbers: readonly (readonly [what: string, query: (now: number) => Record<string, string>])[] = [
  ['A startTime', (now) => ({ startTime: `0${now - msPerDay}` })],
  ['An endTime', (now) => ({ endTime: `0${now - msPerDay}` })],
  ['A maxResults', () => ({ maxResults: '0100' })],
];

export const sizeChecks = numbered('size', [
  check({
    section: 'Limits',
    rule: `A purchaseId of more than ${sizes.purchaseId} characters is rejected.`,
    needs: ['caller', 'unconsumedPurchase'],
    run: async ({ caller, unconsumedPurchase }) => {
      const path = { purchaseId: tooLong(unconsumedPurchase, sizes.purchaseId) };
      return judged(expectError(await caller.call(getPurchaseDetails, { path }), refused));
    },
  }),
  check({
    section: 'Limits',
    rule: `A packageName of more than ${sizes.packageName} characters is rejected with 9100.`,
    needs: ['caller', 'rightCall', 'target'],
    run: async ({ caller, target }) => {
      const path = { packageName: tooLong(target.packageName, sizes.packageName) };
      return judged(expectError(await caller.call(getVoidedPurchases, { path }), invalidPackageName));
    },
  }),
  check({
    section: 'Limits',
    rule: `A productId of ${sizes.productId} characters is accepted.`,
    needs: ['caller', 'largePurchase'],
    run: async ({ caller, largePurchase: { purchaseId, productId } }) => {
      const path = { purchaseId, productId };
      return judged(expectSuccess(await caller.call(getPurchaseDetailsByProductId, { path })));
    },
  }),
  check({
    section: 'Limits',
    rule: `A productId of more than ${sizes.productId} characters is rejected.`,
    needs: ['caller', 'largePurchase'],
    run: async ({ caller, largePurchase: { purchaseId, productId } }) => {
      const path = { purchaseId, productId: tooLong(productId, sizes.productId) };
      return judged(expectError(await caller.call(getPurchaseDetailsByProductId, { path }), refused));
    },
  }),
  check({
    section: 'Limits',
    rule: `A developerPayload of ${sizes.developerPayload} characters is returned unchanged.`,
    needs: ['caller', 'largePurchase'],
    run: async ({ caller, largePurchase: { purchaseId, developerPayload } }) =>
      judged(
        expectFields(await caller.call(getPurchaseDetails, { path: { purchaseId } }), { developerPayload }),
      ),
  }),
  check({
    section: 'Limits',
    rule: `A continuationKey of more than ${sizes.continuationKey} characters is rejected.`,
    needs: ['caller', 'secondPage', 'firstPage'],
    run: async ({ caller, firstPage }) => {
      const key = String(fieldsOf(firstPage)['continuationKey']);
      const query = { continuationKey: tooLong(key, sizes.continuationKey) };
      const codes = [...searchRuleViolated, ...refused];
      return judged(expectError(await caller.call(getVoidedPurchases, { query }), codes));
    },
  }),
  ...longNumbers.map(([what, query]) =>
    check({
      section: 'Limits',
      rule: `${what} with more digits than its maximum is rejected with 9101.`,
      needs: ['caller', 'rightCall', 'now'],
      run: async ({ caller, now }) => {
        const answer = await caller.call(getVoidedPurchases, { query: query(now) });
        return judged(expectError(answer, searchRuleViolated));
      },
    }),
  ),
]);

/** Extends a valid value beyond its size, so that a server that truncates it finds something. */
function tooLong(good: string, size: number): string {
  return good.padEnd(size + 1, '0');
}
