// Checks of the token endpoint.

import { formType, type TokenRequest } from '../calls.ts';
import { accessToken, authentication, type CheckDraft, limits, resources } from '../check.ts';
import { renewalWindowSeconds, tokenOf } from '../evidence.ts';
import { fieldsOf } from '../http-response.ts';
import { expectError, expectFields, expectShape, expectSuccess, expectThat } from '../judgement.ts';
import { AccessTokenShape } from '../shapes.ts';

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

export const tokenChecks: readonly CheckDraft[] = [
  accessToken.check('The response to a valid token request has the HTTP status 200.', async (run) => {
    const response = await run.tokenResponse();
    return expectThat(response.status === 200, 'Expected the status 200.', response);
  }),
  accessToken.check('A token response has the Content-Type application/json.', async (run) => {
    const { contentType = 'none' } = await run.issuedToken();
    const isJson = /^application\/json\s*(?:;|$)/i.test(contentType);
    return isJson ? undefined : `Content-Type: expected application/json, got ${contentType}.`;
  }),
  resources.check('A token response has all six fields with the specified types and sizes.', async (run) =>
    expectShape(await run.issuedToken(), AccessTokenShape),
  ),
  resources.check('client_id is that of the request.', async (run) =>
    expectFields(await run.issuedToken(), { client_id: run.target.clientId }),
  ),
  resources.check('token_type is the bearer scheme.', async (run) => {
    const { token_type: type } = fieldsOf(await run.issuedToken());
    const isBearer = String(type).toLowerCase() === 'bearer';
    return isBearer ? undefined : `token_type: expected bearer, got ${JSON.stringify(type)}.`;
  }),
  authentication.check('An issued token is valid for a call.', async (run) =>
    expectSuccess(await run.call('getVoidedPurchases')),
  ),
  limits.check(`No token is issued with less than ${renewalWindowSeconds} seconds left.`, async (run) => {
    const left = Number(fieldsOf(await run.issuedToken())['expires_in']);
    const expected = `expires_in: expected at least ${renewalWindowSeconds}, got ${left}.`;
    return left >= renewalWindowSeconds ? undefined : expected;
  }),
  accessToken.check('A charset in the Content-Type of a token request is accepted.', async (run) =>
    expectSuccess(await run.requestToken({ contentType: `${formType};charset=UTF-8` })),
  ),
  ...wrongRequests.map(([rule, request]) =>
    authentication.check(rule, async (run) =>
      expectError(await run.requestToken(request), 'invalidTokenRequest'),
    ),
  ),
  authentication.check('An earlier token stays valid after a later one has been issued.', async (run) => {
    const tokens = await run.twoTokens();
    const responses = await Promise.all(tokens.map((token) => run.call('getVoidedPurchases', {}, { token })));
    return responses.map(expectSuccess);
  }),
  authentication.check(
    `With less than ${renewalWindowSeconds} seconds left, a new token is issued.`,
    async (run) => {
      const { old, renewed } = await run.renewal();
      const token = tokenOf(renewed);
      const left = Number(fieldsOf(renewed)['expires_in']);
      const isNew = token !== undefined && token !== old && left >= renewalWindowSeconds;
      return expectThat(isNew, 'Expected a new token with its whole lifetime.', renewed);
    },
  ),
];
