// Checks of the Authorization header: malformed headers and invalid tokens.

import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { getLastRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getLastRecurringPurchaseDetails.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId } from '@opentill/contract/purchase-api/getPurchaseDetailsByProductId.ts';
import { getRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { manageRecurringPaymentStatus } from '@opentill/contract/purchase-api/manageRecurringPaymentStatus.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import { type CheckDraft, check, numbered } from '../check.ts';
import { unauthorized, withoutToken } from '../error-codes.ts';
import type { Evidence, EvidenceName } from '../evidence.ts';
import { expectError } from '../judgement.ts';
import { judged } from '../verdict.ts';

/** Formats that the specification does not allow, and tokens that were never issued. */
const wrongHeaders: readonly (readonly [rule: string, header: (token: string) => string])[] = [
  ['The token alone, without Bearer, is rejected with 401.', (token) => token],
  ['bearer in lower case is rejected with 401.', (token) => `bearer ${token}`],
  ['BEARER in upper case is rejected with 401.', (token) => `BEARER ${token}`],
  ['A token in angle brackets is rejected with 401.', (token) => `Bearer <${token}>`],
  ['Bearer and the token without a space are rejected with 401.', (token) => `Bearer${token}`],
  ['Bearer and the token with two spaces are rejected with 401.', (token) => `Bearer  ${token}`],
  ['A valid token with another scheme is rejected with 401.', (token) => `Basic ${token}`],
  ['A token with another last character is rejected with 401.', (token) => `Bearer ${withOtherEnd(token)}`],
  ['A token without its last character is rejected with 401.', (token) => `Bearer ${token.slice(0, -1)}`],
];

export const authorizationChecks = numbered('authorization', [
  ...wrongHeaders.map(([rule, header]) =>
    check({
      section: 'Authentication',
      rule,
      needs: ['calls', 'caller', 'rightCall'],
      run: async ({ calls, caller }) => {
        const headers = { authorization: header(calls.newestToken()) };
        return judged(expectError(await caller.call(getVoidedPurchases, { headers }), unauthorized));
      },
    }),
  ),
  otherTokenCheck('An expired token is rejected with 401.', 'expiredToken'),
  otherTokenCheck('A token of the other environment is rejected with 401.', 'otherEnvironmentToken'),
  withoutHeader(getVoidedPurchases, 'rightCall', () => ({})),
  withoutHeader(getPurchaseDetails, 'unconsumedPurchase', (purchaseId) => ({ purchaseId })),
  withoutHeader(getPurchaseDetailsByProductId, 'soldPurchase', (purchase) => purchase),
  withoutHeader(getRecurringPurchaseDetails, 'subscription', (purchaseId) => ({ purchaseId })),
  withoutHeader(getLastRecurringPurchaseDetails, 'subscription', (purchaseId) => ({ purchaseId })),
  // On an incorrect server, these calls change as little as possible.
  withoutHeader(manageRecurringPaymentStatus, 'subscription', (purchaseId) => ({
    purchaseId,
    action: 'reactivate',
  })),
  withoutHeader(consumePurchase, 'consumedPurchase', (purchaseId) => ({ purchaseId })),
]);

function otherTokenCheck(rule: string, name: 'expiredToken' | 'otherEnvironmentToken'): CheckDraft {
  return check({
    section: 'Authentication',
    rule,
    needs: ['calls', 'rightCall', name],
    run: async ({ calls, ...evidence }) => {
      const answer = await calls.callerWith(evidence[name]).call(getVoidedPurchases);
      return judged(expectError(answer, unauthorized));
    },
  });
}

function withoutHeader<Name extends EvidenceName>(
  operation: PurchaseOperation,
  name: Name,
  pathOf: (value: Evidence[Name]) => Readonly<Record<string, string>>,
): CheckDraft {
  return check({
    section: 'Endpoints',
    rule: `${operation.operationId} without Authorization is rejected with 401 or 9000.`,
    ...(operation.method === 'POST' && { changes: true }),
    needs: ['caller', name],
    run: async ({ caller, [name]: value }) => {
      const headers = { authorization: undefined };
      const answer = await caller.call(operation, { path: pathOf(value as Evidence[Name]), headers });
      return judged(expectError(answer, withoutToken));
    },
  });
}

/** Replaces the last character by one that differs in more than the bits that an encoding may ignore. */
function withOtherEnd(token: string): string {
  return `${token.slice(0, -1)}${token.endsWith('A') ? 'q' : 'A'}`;
}
