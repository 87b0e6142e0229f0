// Checks of the Authorization and Content-Type headers.

import { type OperationName, operations } from '../calls.ts';
import { authentication, type CheckDraft, endpoints } from '../check.ts';
import type { Evidence } from '../evidence.ts';
import { expectError, refused } from '../judgement.ts';

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

const otherTokens = [
  ['An expired token is rejected with 401.', 'expiredToken'],
  ['A token of the other environment is rejected with 401.', 'otherEnvironmentToken'],
] as const;

/** Calls that change as little as possible on an incorrect server. */
const callsWithoutHeader: readonly (readonly [
  operation: OperationName,
  pathOf: (evidence: Evidence) => Promise<Readonly<Record<string, string>>>,
])[] = [
  ['getVoidedPurchases', (run) => run.validCall()],
  ['getPurchaseDetails', (run) => run.unconsumedPurchase()],
  ['getPurchaseDetailsByProductId', (run) => run.soldPurchase()],
  ['getRecurringPurchaseDetails', (run) => run.subscription()],
  ['getLastRecurringPurchaseDetails', (run) => run.subscription()],
  ['manageRecurringPaymentStatus', async (run) => ({ ...(await run.subscription()), action: 'reactivate' })],
  ['consumePurchase', (run) => run.consumedPurchase()],
];

export const authorizationChecks: readonly CheckDraft[] = [
  ...wrongHeaders.map(([rule, header]) =>
    authentication.check(rule, async (run) => {
      await run.validCall();
      const headers = { authorization: header(run.calls.newestToken()) };
      return expectError(await run.call('getVoidedPurchases', {}, { headers }), 'unauthorized');
    }),
  ),
  ...otherTokens.map(([rule, name]) =>
    authentication.check(rule, async (run) =>
      expectError(
        await run.wrongCall('getVoidedPurchases', {}, { token: await run[name]() }),
        'unauthorized',
      ),
    ),
  ),
  ...callsWithoutHeader.map(([operation, pathOf]) =>
    endpoints[operations[operation].method === 'POST' ? 'changing' : 'check'](
      `${operation} without Authorization is rejected with 401 or 9000.`,
      async (evidence) => {
        const headers = { authorization: undefined };
        const response = await evidence.call(operation, await pathOf(evidence), { headers });
        return expectError(response, 'unauthorized', 'invalidRequest');
      },
    ),
  ),
];

const wrongTypes: readonly (readonly [rule: string, contentType: string | undefined])[] = [
  ['A call without Content-Type is rejected.', undefined],
  ['A call with a Content-Type other than application/json is rejected.', 'text/plain'],
];

/** The Content-Type is required although purchase calls have no body. */
export const contentTypeChecks: readonly CheckDraft[] = wrongTypes.map(([rule, contentType]) =>
  endpoints.check(rule, async (run) => {
    const headers = { 'content-type': contentType };
    return expectError(await run.wrongCall('getVoidedPurchases', {}, { headers }), ...refused);
  }),
);

/** Replaces the last character by one that differs in more than the bits that an encoding may ignore. */
function withOtherEnd(token: string): string {
  return `${token.slice(0, -1)}${token.endsWith('A') ? 'q' : 'A'}`;
}
