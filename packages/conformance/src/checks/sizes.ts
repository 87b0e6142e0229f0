// Checks of values of the maximum size, and of longer ones.

import { sizes } from '@opentill/contract/fields.ts';
import { type CheckDraft, limits } from '../check.ts';
import { msPerDay } from '../evidence.ts';
import { fieldsOf } from '../http-response.ts';
import { expectError, expectFields, expectSuccess, refused } from '../judgement.ts';

/** Numbers that are valid except for one digit too many. */
const longNumbers: readonly (readonly [what: string, query: (now: number) => Record<string, string>])[] = [
  ['A startTime', (now) => ({ startTime: `0${now - msPerDay}` })],
  ['An endTime', (now) => ({ endTime: `0${now - msPerDay}` })],
  ['A maxResults', () => ({ maxResults: '0100' })],
];

export const sizeChecks: readonly CheckDraft[] = [
  limits.check(`A purchaseId of more than ${sizes.purchaseId} characters is rejected.`, async (run) => {
    const purchaseId = tooLong((await run.unconsumedPurchase()).purchaseId, sizes.purchaseId);
    return expectError(await run.call('getPurchaseDetails', { purchaseId }), ...refused);
  }),
  limits.check(
    `A packageName of more than ${sizes.packageName} characters is rejected with 9100.`,
    async (run) => {
      const packageName = tooLong(run.target.packageName, sizes.packageName);
      return expectError(await run.wrongCall('getVoidedPurchases', { packageName }), 'invalidPackageName');
    },
  ),
  limits.check(`A productId of ${sizes.productId} characters is accepted.`, async (run) =>
    expectSuccess(await run.call('getPurchaseDetailsByProductId', await run.largePurchase())),
  ),
  limits.check(`A productId of more than ${sizes.productId} characters is rejected.`, async (run) => {
    const { purchaseId, productId } = await run.largePurchase();
    const path = { purchaseId, productId: tooLong(productId, sizes.productId) };
    return expectError(await run.call('getPurchaseDetailsByProductId', path), ...refused);
  }),
  limits.check(
    `A developerPayload of ${sizes.developerPayload} characters is returned unchanged.`,
    async (run) => {
      const { developerPayload, ...purchase } = await run.largePurchase();
      return expectFields(await run.call('getPurchaseDetails', purchase), { developerPayload });
    },
  ),
  limits.check(
    `A continuationKey of more than ${sizes.continuationKey} characters is rejected.`,
    async (run) => {
      await run.secondPage();
      const key = String(fieldsOf(await run.firstPage())['continuationKey']);
      const query = { continuationKey: tooLong(key, sizes.continuationKey) };
      const response = await run.call('getVoidedPurchases', {}, { query });
      return expectError(response, 'searchRuleViolated', ...refused);
    },
  ),
  ...longNumbers.map(([what, query]) =>
    limits.check(`${what} with more digits than its maximum is rejected with 9101.`, async (run) =>
      expectError(await run.wrongQuery(query(await run.now())), 'searchRuleViolated'),
    ),
  ),
];

/** Extends a valid value beyond its size, so that a server that truncates it finds something. */
function tooLong(good: string, size: number): string {
  return good.padEnd(size + 1, '0');
}
