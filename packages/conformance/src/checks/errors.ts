// Checks of the shape of errors, which is the same for all causes.

import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { type Answer, errorOf, responseText } from '../answer.ts';
import type { Caller, Calls } from '../calls.ts';
import { check, numbered } from '../check.ts';
import { unknownPurchase } from '../evidence/purchases.ts';
import { ErrorShape, shapeProblems } from '../shapes.ts';
import { judged } from '../verdict.ts';

/** Calls without effect that every correct server rejects. */
const refusedCalls: readonly {
  readonly what: string;
  readonly send: (calls: Calls, caller: Caller) => Promise<Answer>;
}[] = [
  {
    what: 'an invalid token request',
    send: (calls) => calls.requestToken({ form: { grant_type: 'password' } }),
  },
  {
    what: 'a call with an invalid token',
    send: (calls) => calls.callerWith('not-a-token').call(getVoidedPurchases),
  },
  {
    what: 'a read of an unknown purchase',
    send: (_, caller) => caller.call(getPurchaseDetails, { path: { purchaseId: unknownPurchase } }),
  },
  {
    what: 'an invalid query',
    send: (_, caller) => caller.call(getVoidedPurchases, { query: { maxResults: 'all' } }),
  },
  {
    what: 'a call with the package name of another app',
    send: (_, caller) => caller.call(getVoidedPurchases, { path: { packageName: 'no.such.package' } }),
  },
  {
    what: 'the consumption of an unknown purchase',
    send: (_, caller) => caller.call(consumePurchase, { path: { purchaseId: unknownPurchase } }),
  },
];

export const errorChecks = numbered(
  'error',
  refusedCalls.map(({ what, send }) =>
    check({
      section: 'Errors',
      rule: `The response to ${what} is a JSON error with an integer code and a message.`,
      needs: ['calls', 'caller', 'rightCall'],
      run: async ({ calls, caller }) => {
        const answer = await send(calls, caller);
        const problems = shapeProblems(ErrorShape, errorOf(answer));
        return judged(
          problems.length === 0 ? undefined : `error: ${problems.join(' ')} ${responseText(answer)}`,
        );
      },
    }),
  ),
);
