// Checks of the Content-Type of purchase calls, which is required although they have no body.

import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { check, numbered } from '../check.ts';
import { refused } from '../error-codes.ts';
import { expectError } from '../judgement.ts';
import { judged } from '../verdict.ts';

const wrongTypes: readonly (readonly [rule: string, contentType: string | undefined])[] = [
  ['A call without Content-Type is rejected.', undefined],
  ['A call with a Content-Type other than application/json is rejected.', 'text/plain'],
];

export const contentTypeChecks = numbered(
  'content-type',
  wrongTypes.map(([rule, contentType]) =>
    check({
      section: 'Endpoints',
      rule,
      needs: ['caller', 'rightCall'],
      run: async ({ caller }) => {
        const answer = await caller.call(getVoidedPurchases, { headers: { 'content-type': contentType } });
        return judged(expectError(answer, refused));
      },
    }),
  ),
);
