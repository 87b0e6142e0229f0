// The hints and the cause of a call, from what the request log stores.

import { errors } from '@opentill/contract/errors.ts';
import { hints as explanations, type HintName } from '@opentill/contract/logged-request.ts';
import { purchaseOperations } from '@opentill/contract/operations.ts';
import { expect, test } from 'vitest';
import {
  causeOfCall,
  type LoggedCallFacts as Facts,
  hintsOfCall,
} from '../../../src/domain/sandbox/call-explanation.ts';

const failed: Facts = {
  packageName: 'com.example.game',
  operationId: 'getPurchaseDetails',
  method: 'GET',
  path: '/v2/purchase/details/P-1/com.example.game',
  httpStatus: 404,
  errorCode: 9001,
  response: '{"error":{"code":9001,"message":"The record was not found."}}',
  faultPosition: null,
  isJson: true,
  hasIgnoredBody: false,
  authorization: 'Bearer ***',
  secretShape: null,
};
const causeOf = (facts: Partial<Facts>, hints: readonly HintName[] = []) =>
  causeOfCall({ ...failed, ...facts }, hints);
const hintsOf = (facts: Partial<Facts>) => hintsOfCall({ ...failed, ...facts });

test('an injected fault is the cause, before anything else', () => {
  const hints = ['contentTypeMissing'] as const;
  expect(causeOf({ faultPosition: 1 }, hints)).toBe('Fault 2 of the list was applied to this call.');
  const cut = { faultPosition: 1, httpStatus: null, errorCode: null, response: '' };
  expect(causeOf(cut, hints)).toBe('Fault 2 of the list closed the connection.');
});

test('a hint is the cause of a call that it explains', () => {
  expect(causeOf({}, ['tokenEnded'])).toBe(explanations.tokenEnded);
});

test('a missing content type is the cause only of a call that was rejected for it', () => {
  const hints = ['contentTypeMissing'] as const;
  expect(causeOf({}, hints)).toMatch(/^The app has no /);
  expect(causeOf({ httpStatus: 400, errorCode: 9000 }, hints)).toBe(explanations.contentTypeMissing);
});

test('a record that was not found is named', () => {
  expect(causeOf({}, ['recordMissing'])).toBe('The app has no one-time purchase with the id P-1.');
  const last = {
    operationId: 'getLastRecurringPurchaseDetails',
    path: '/v2/purchase/last-recurring-details/S-1/com.example.game?x=1',
  };
  expect(causeOf(last)).toBe('The app has no first period of a subscription with the id S-1.');
});

test('every error of every operation has a cause in one sentence', () => {
  for (const { operationId, errors: listed } of purchaseOperations) {
    for (const name of listed) {
      const { code, status, title } = errors[name];
      const response = JSON.stringify({ error: { code, message: title } });
      const cause = causeOf({ operationId, httpStatus: status, errorCode: code, response });
      expect(cause, `${operationId} ${name}`).toMatch(/^[A-Z].*\.$/);
    }
  }
});

test.each([
  ['Bearer ***', 'tokenEnded'],
  ['bearer ***', 'bearerLowerCase'],
  ['***', 'bearerMissing'],
  ['Bearer <***>', 'tokenInBrackets'],
  ['Bearer***', 'bearerSpaceMissing'],
  ['Bearer  ***', 'authorizationMalformed'],
  ['Bearer "***"', 'authorizationMalformed'],
])('a 401 for the header %s has the hint %s, unless a fault injected it', (authorization, hint) => {
  const rejected = { httpStatus: 401, errorCode: 401, authorization };
  expect(hintsOf(rejected)).toEqual([hint]);
  expect(hintsOf({ ...rejected, faultPosition: 0 })).toEqual([]);
});

test.each([
  [9001, 'recordMissing'],
  [9200, 'notCompleted'],
  [9201, 'consumptionFinal'],
])('%i has the hint %s, unless a fault injected it', (errorCode, hint) => {
  expect(hintsOf({ errorCode })).toEqual([hint]);
  expect(hintsOf({ errorCode, faultPosition: 0 })).toEqual([]);
});

test.each([
  [
    'GET',
    '/v7/apps/c/purchases/inapp/products/coins/t',
    'GET /v2/purchase/details/{purchaseId}/{packageName}',
  ],
  ['POST', '/v7/apps/c/purchases/inapp/t/consume', 'POST /v2/purchase/consume/{purchaseId}/{packageName}'],
  ['GET', '/v6/apps/c/voided-purchases?x=consume', 'GET /v2/purchase/voided-purchases/{packageName}'],
  ['GET', '//v2/purchase/details/P/c', 'GET /v2/purchase/details/{purchaseId}/{packageName}'],
  [
    'GET',
    '/v2/purchase/recurring-details/P/c/',
    'GET /v2/purchase/recurring-details/{purchaseId}/{packageName}',
  ],
  ['POST', '/v7/oauth/token', 'POST /v2/oauth/token'],
  ['GET', '/events/v2/events', 'GET /events/v1/events'],
])('the hint of %s %s names the nearest path, %s', (method, path, nearest) => {
  const call = { operationId: 'unknown', method, path, httpStatus: 404, errorCode: 9999, isJson: false };
  expect(hintsOf(call)).toEqual(['unknownPath']);
  const explanation = `${explanations.unknownPath} The nearest path is ${nearest}.`;
  expect(causeOf(call, hintsOf(call))).toBe(explanation);
});

test('an unknown path without a word of any other has no nearest one, and a wrong method has no hint', () => {
  const call = { operationId: 'unknown', path: '/', httpStatus: 404, errorCode: 9999 };
  expect(causeOf(call, hintsOf(call))).toBe(explanations.unknownPath);
  const response = '{"error":{"code":9999,"message":"Expected POST, got GET."}}';
  const wrongMethod = { ...call, httpStatus: 405, response };
  expect(hintsOf(wrongMethod)).toEqual([]);
  expect(causeOf(wrongMethod)).toBe('Expected POST, got GET.');
});

test('a path with another package has the hint otherPackage instead of that of the error', () => {
  expect(hintsOf({ path: '/v2/purchase/details/P-1/com.example.other?x=1' })).toEqual(['otherPackage']);
  expect(hintsOf({ path: '/v2/purchase/details/P-1', errorCode: 9000 })).toEqual([]);
});

test.each([
  ['?continuationKey=', ['emptyQueryValue']],
  ['?continuationKey&startTime=1', ['emptyQueryValue']],
  ['?startTime=1&maxResults=&x=', ['emptyQueryValue']],
  ['?startTime=&maxResults=5&continuationKey=1', []],
])(
  'the voided list with the query %s has the hints %j, which are no cause of its failure',
  (query, hints) => {
    const call = {
      operationId: 'getVoidedPurchases',
      path: `/v2/purchase/voided-purchases/com.example.game${query}`,
    };
    expect(hintsOf({ ...call, httpStatus: 200, errorCode: null, response: '{}' })).toEqual(hints);
    const response = '{"error":{"code":9101,"message":"startTime: expected 13 digits."}}';
    const rejected = { ...call, httpStatus: 400, errorCode: 9101, response };
    expect(causeOf(rejected, hintsOf(rejected))).toBe('startTime: expected 13 digits.');
  },
);

test.each<[shape: string, httpStatus: number, hints: HintName[]]>([
  ['***', 200, []],
  ['*** ***', 200, ['secretNotEncoded']],
  ['***', 400, ['clientSecretWrong']],
  ['*** ***', 400, ['clientSecretWrong', 'secretNotEncoded']],
  ['***\n', 400, ['clientSecretWrong', 'secretHasWhitespace']],
  [' ***', 400, ['clientSecretWrong', 'secretHasWhitespace']],
])('a token request with the secret %j that gets %i has the hints %j', (secretShape, httpStatus, hints) => {
  const request = { operationId: 'getAccessToken', path: '/v2/oauth/token', authorization: '' };
  expect(hintsOf({ ...request, httpStatus, secretShape })).toEqual(hints);
  const elsewhere = { path: '/v2/oauth/token?client_id=***', authorization: 'Basic ***', httpStatus: 400 };
  expect(hintsOf({ ...request, ...elsewhere })).toEqual(['credentialsInQuery', 'credentialsInHeader']);
});
