// Checks of the token endpoint.

import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { fieldsOf, responseText } from '../answer.ts';
import { formType, type TokenRequest } from '../calls.ts';
import { check, numbered } from '../check.ts';
import { invalidTokenRequest } from '../error-codes.ts';
import { renewalWindowSeconds, tokenOf } from '../evidence/tokens.ts';
import { expectError, expectFields, expectShape, expectSuccess } from '../judgement.ts';
import { AccessTokenShape } from '../shapes.ts';
import { judged } from '../verdict.ts';

/** Token requests with one mistake each. */
const wrongRequests: readonly (readonly [rule: string, request: TokenRequest])[] = [
  ['A token request with a wrong Content-Type is rejected with 400.', { contentType: 'application/json' }],
  ['A token request without client_id is rejected with 400.', { form: { client_id: undefined } }],
  ['A token request without client_secret is rejected with 400.', { form: { client_secret: undefined } }],
  ['A token request without grant_type is rejected with 400.', { form: { grant_type: undefined } }],
  ['A grant_type other than client_credentials is rejected with 400.', { form: { grant_type: 'password' } }],
  ['A wrong client_secret is rejected with 400.', { form: { client_secret: 'not-the-secret' } }],
  ['An unknown client_id is rejected with 400.', { form: { client_id: 'no.such.client' } }],
];

export const tokenChecks = numbered('token', [
  check({
    section: 'getAccessToken',
    rule: 'The response to a valid token request has the HTTP status 200.',
    needs: ['tokenAnswer'],
    run: ({ tokenAnswer }) =>
      judged(
        tokenAnswer.status === 200 ? undefined : `Expected the status 200. ${responseText(tokenAnswer)}`,
      ),
  }),
  check({
    section: 'getAccessToken',
    rule: 'A token response has the Content-Type application/json.',
    needs: ['token', 'tokenAnswer'],
    run: ({ tokenAnswer }) => {
      const { contentType = 'none' } = tokenAnswer;
      const isJson = /^application\/json\s*(?:;|$)/i.test(contentType);
      return judged(isJson ? undefined : `Content-Type: expected application/json, got ${contentType}.`);
    },
  }),
  check({
    section: 'Resources and their fields',
    rule: 'A token response has all six fields with the specified types and sizes.',
    needs: ['token', 'tokenAnswer'],
    run: ({ tokenAnswer }) => judged(expectShape(tokenAnswer, AccessTokenShape)),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'client_id is that of the request.',
    needs: ['token', 'tokenAnswer', 'target'],
    run: ({ tokenAnswer, target }) => judged(expectFields(tokenAnswer, { client_id: target.clientId })),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'token_type is the bearer scheme.',
    needs: ['token', 'tokenAnswer'],
    run: ({ tokenAnswer }) => {
      const { token_type: type } = fieldsOf(tokenAnswer);
      const isBearer = String(type).toLowerCase() === 'bearer';
      return judged(isBearer ? undefined : `token_type: expected bearer, got ${JSON.stringify(type)}.`);
    },
  }),
  check({
    section: 'Authentication',
    rule: 'An issued token is valid for a call.',
    needs: ['caller'],
    run: async ({ caller }) => judged(expectSuccess(await caller.call(getVoidedPurchases))),
  }),
  check({
    section: 'Limits',
    rule: `No token is issued with less than ${renewalWindowSeconds} seconds left.`,
    needs: ['token', 'tokenAnswer'],
    run: ({ tokenAnswer }) => {
      const left = Number(fieldsOf(tokenAnswer)['expires_in']);
      const expected = `expires_in: expected at least ${renewalWindowSeconds}, got ${left}.`;
      return judged(left >= renewalWindowSeconds ? undefined : expected);
    },
  }),
  check({
    section: 'getAccessToken',
    rule: 'A charset in the Content-Type of a token request is accepted.',
    needs: ['calls', 'token'],
    run: async ({ calls }) =>
      judged(expectSuccess(await calls.requestToken({ contentType: `${formType};charset=UTF-8` }))),
  }),
  ...wrongRequests.map(([rule, request]) =>
    check({
      section: 'Authentication',
      rule,
      needs: ['calls', 'token'],
      run: async ({ calls }) => judged(expectError(await calls.requestToken(request), invalidTokenRequest)),
    }),
  ),
  check({
    section: 'Authentication',
    rule: 'An earlier token stays valid after a later one has been issued.',
    needs: ['calls', 'twoTokens'],
    run: async ({ calls, twoTokens }) => {
      const answers = [twoTokens.later, twoTokens.earlier].map((token) =>
        calls.callerWith(token).call(getVoidedPurchases),
      );
      return judged(...(await Promise.all(answers)).map(expectSuccess));
    },
  }),
  check({
    section: 'Authentication',
    rule: `With less than ${renewalWindowSeconds} seconds left, a new token is issued.`,
    needs: ['renewal'],
    run: ({ renewal: { old, renewed } }) => {
      const token = tokenOf(renewed);
      const left = Number(fieldsOf(renewed)['expires_in']);
      const isNew = token !== undefined && token !== old && left >= renewalWindowSeconds;
      return judged(
        isNew ? undefined : `Expected a new token with its whole lifetime. ${responseText(renewed)}`,
      );
    },
  }),
]);
