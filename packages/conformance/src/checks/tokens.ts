// The token endpoint: what it issues, when it issues anew, and what it refuses.

import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { fieldsOf, shown } from '../answer.ts';
import { formType, type TokenRequest } from '../calls.ts';
import { check, numbered } from '../check.ts';
import { invalidTokenRequest } from '../error-codes.ts';
import { renewalWindowSeconds, tokenOf } from '../evidence/tokens.ts';
import { expectError, expectFields, expectShape, expectSuccess } from '../judgement.ts';
import { AccessTokenShape } from '../shapes.ts';
import { judged } from '../verdict.ts';

/** Token requests that are wrong in one way each. */
const wrongRequests: readonly (readonly [rule: string, request: TokenRequest])[] = [
  ['A token request with another Content-Type is refused with 400.', { contentType: 'application/json' }],
  ['A token request without client_id is refused with 400.', { form: { client_id: undefined } }],
  ['A token request without client_secret is refused with 400.', { form: { client_secret: undefined } }],
  ['A token request without grant_type is refused with 400.', { form: { grant_type: undefined } }],
  ['Another grant_type than client_credentials is refused with 400.', { form: { grant_type: 'password' } }],
  ['A wrong client_secret is refused with 400.', { form: { client_secret: 'not-the-secret' } }],
  ['An unknown client_id is refused with 400.', { form: { client_id: 'no.such.client' } }],
];

export const tokenChecks = numbered('token', [
  check({
    section: 'getAccessToken',
    rule: 'A right token request is answered with HTTP 200.',
    needs: ['tokenAnswer'],
    run: ({ tokenAnswer }) =>
      judged(tokenAnswer.status === 200 ? undefined : `Expected the status 200. ${shown(tokenAnswer)}`),
  }),
  check({
    section: 'getAccessToken',
    rule: 'A token comes as JSON, with the Content-Type application/json.',
    needs: ['token', 'tokenAnswer'],
    run: ({ tokenAnswer }) => {
      const { contentType = 'none' } = tokenAnswer;
      const isJson = /^application\/json\s*(?:;|$)/i.test(contentType);
      return judged(isJson ? undefined : `Content-Type: expected application/json, got ${contentType}.`);
    },
  }),
  check({
    section: 'Resources and their fields',
    rule: 'A token answer has all six fields, of their types and sizes.',
    needs: ['token', 'tokenAnswer'],
    run: ({ tokenAnswer }) => judged(expectShape(tokenAnswer, AccessTokenShape)),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'client_id is the one that asked.',
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
    rule: 'The token that is issued is good for a call.',
    needs: ['caller'],
    run: async ({ caller }) => judged(expectSuccess(await caller.call(getVoidedPurchases))),
  }),
  check({
    section: 'Limits',
    rule: `No token is issued with fewer than ${renewalWindowSeconds} seconds left.`,
    needs: ['token', 'tokenAnswer'],
    run: ({ tokenAnswer }) => {
      const left = Number(fieldsOf(tokenAnswer)['expires_in']);
      const expected = `expires_in: expected at least ${renewalWindowSeconds}, got ${left}.`;
      return judged(left >= renewalWindowSeconds ? undefined : expected);
    },
  }),
  check({
    section: 'getAccessToken',
    rule: 'A charset in the Content-Type of a token request is taken.',
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
    rule: 'An earlier token stays good when a later one has been issued.',
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
    rule: `With fewer than ${renewalWindowSeconds} seconds left a new token is issued.`,
    needs: ['renewal'],
    run: ({ renewal: { old, renewed } }) => {
      const token = tokenOf(renewed);
      const left = Number(fieldsOf(renewed)['expires_in']);
      const isNew = token !== undefined && token !== old && left >= renewalWindowSeconds;
      return judged(isNew ? undefined : `Expected another token, with its life before it. ${shown(renewed)}`);
    },
  }),
]);
