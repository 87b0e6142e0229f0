// The cause of a failed call, from what the request log stores.

import { errors } from '@opentill/contract/errors.ts';
import { hints } from '@opentill/contract/logged-request.ts';
import { purchaseOperations } from '@opentill/contract/operations.ts';
import { expect, test } from 'vitest';
import { causeOfCall } from '../../../src/domain/sandbox/call-cause.ts';

type Facts = Parameters<typeof causeOfCall>[0];

const failed: Facts = {
  operationId: 'getPurchaseDetails',
  path: '/v2/purchase/details/P-1/com.example.game',
  httpStatus: 404,
  errorCode: 9001,
  answer: '{"error":{"code":9001,"message":"The record was not found."}}',
  faultPosition: null,
  hints: [],
};
const causeOf = (facts: Partial<Facts>) => causeOfCall({ ...failed, ...facts });

test('a call that succeeded has no cause', () => {
  expect(causeOf({ httpStatus: 200, errorCode: null })).toBeUndefined();
});

test('an injected fault is the cause, before anything else', () => {
  const fault = { faultPosition: 1, hints: ['contentTypeMissing'] as const };
  expect(causeOf(fault)).toEqual({ kind: 'fault', text: 'Fault 2 of the list was applied to this call.' });
  const cut = { ...fault, httpStatus: null, errorCode: null, answer: '' };
  expect(causeOf(cut)?.text).toBe('Fault 2 of the list closed the connection.');
});

test('a hint is the cause of a call that it explains', () => {
  for (const hint of ['tokenExpired', 'otherPackage', 'consumptionFinal'] as const)
    expect(causeOf({ hints: [hint] })).toEqual({ kind: 'hint', text: hints[hint] });
});

test('a missing content type is the cause only of a call that was rejected for it', () => {
  expect(causeOf({ hints: ['contentTypeMissing'] })?.kind).toBe('notFound');
  expect(causeOf({ hints: ['contentTypeMissing'], httpStatus: 400, errorCode: 9000 })).toEqual({
    kind: 'hint',
    text: hints.contentTypeMissing,
  });
});

test('a record that was not found is named', () => {
  expect(causeOf({ hints: ['recordMissing'] })?.text).toBe(
    'The app has no one-time purchase with the id P-1.',
  );
  const last = {
    operationId: 'getLastRecurringPurchaseDetails',
    path: '/v2/purchase/last-recurring-details/S-1/com.example.game?x=1',
  };
  expect(causeOf(last)?.text).toBe('The app has no first month of a subscription with the id S-1.');
});

test('every error of every operation has a cause in one sentence', () => {
  for (const { operationId, errors: listed } of purchaseOperations) {
    for (const name of listed) {
      const { code, status, title } = errors[name];
      const answer = JSON.stringify({ error: { code, message: title } });
      const cause = causeOf({ operationId, httpStatus: status, errorCode: code, answer });
      expect(cause?.text, `${operationId} ${name}`).toMatch(/^[A-Z].*\.$/);
    }
  }
});

test('a truncated response leaves the status', () => {
  const text = 'The server responded with HTTP 500.';
  expect(causeOf({ httpStatus: 500, errorCode: 9999, answer: '{"error":{"co' })?.text).toBe(text);
});
