// Calls of the purchase API by their contracts. Every answer is held against the contract: a success has the
// shape and the headers of its operation, a refusal is one that the operation lists, in the one error shape.

import { commonFailures, type FailureName, failures, PurchaseApiError } from '@opentill/contract/failures.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import type { TSchema } from 'typebox';
import { expect } from 'vitest';
import { expectShape } from '../expect-shape.ts';
import type { Answer, TestApp } from '../harness.ts';
import type { ServerAddress } from '../start/opentill-process.ts';
import { sendRequest } from './sent-request.ts';

export const jsonContentType = 'application/json;charset=utf-8';

export interface PurchaseCall {
  /** Values of the path, percent-encoded where needed; packageName is the app's unless given. */
  readonly path?: Readonly<Record<string, string>>;
  /** With the question mark. */
  readonly query?: string;
  /** On top of a good Authorization and Content-Type; undefined takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly isChunked?: boolean;
}

/** A call by an app with its own token, whose answer is as the contract lists it. */
export async function callPurchase(
  server: ServerAddress,
  operation: PurchaseOperation,
  app: Pick<TestApp, 'packageName' | 'token'>,
  { path = {}, query = '', headers = {}, body, isChunked }: PurchaseCall = {},
): Promise<Answer> {
  const answer = await sendRequest(server.publicUrl, {
    method: operation.method,
    path: pathOf(operation, { packageName: app.packageName, ...path }) + query,
    headers: goodHeaders(app, headers),
    ...(body !== undefined && { body }),
    ...(isChunked !== undefined && { isChunked }),
  });
  expectAsListed(operation, answer);
  return answer;
}

export function goodHeaders(
  { token }: Pick<TestApp, 'token'>,
  headers: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const merged = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
}

export function pathOf(operation: PurchaseOperation, values: Readonly<Record<string, string>>): string {
  return operation.path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? `no-${name}`);
}

/** Any answer of the public listener: common headers and, for a refusal, the one error shape. */
export function expectCommon({ status, headers, text, body }: Answer): void {
  expect(headers.get('x-request-id')).toMatch(/^[\w-]+$/);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-type')).toBe(jsonContentType);
  if (status < 400) return;
  expectShapeAlone(PurchaseApiError, body);
  expect(text).toBe(`{"error":{"code":${body.error.code},"message":${JSON.stringify(body.error.message)}}}`);
}

/** Of the purchase API, or of the events API, which has the same errors. */
export function expectAsListed(
  operation: Pick<PurchaseOperation, 'operationId' | 'response' | 'failures'>,
  answer: Answer,
): void {
  expectCommon(answer);
  const { status, body, text } = answer;
  if (status === 200) {
    expectShapeAlone(operation.response, body);
    return;
  }
  const listed = [...operation.failures, ...commonFailures].map((name) => failures[name]);
  const isListed = listed.some(({ code, httpStatus }) => code === body.error.code && httpStatus === status);
  expect(isListed, `${operation.operationId} answered ${status} ${text}`).toBe(true);
}

/** The refusal of this name, to the byte; `message` where it is not the general one. */
export function expectFailure(answer: Answer, name: FailureName, message?: string): void {
  const { code, httpStatus, message: general } = failures[name];
  expectCommon(answer);
  expect(answer.text).toBe(JSON.stringify({ error: { code, message: message ?? general } }));
  expect(answer.status).toBe(httpStatus);
  expect(answer.headers.get('www-authenticate')).toBe(name === 'unauthorized' ? 'Bearer' : null);
}

/** The refusal of this name with a message that says more than these words. */
export function expectFailureAbout(answer: Answer, name: FailureName, words: RegExp): void {
  expect(answer.body?.error?.message).toMatch(words);
  expectFailure(answer, name, answer.body.error.message);
}

function expectShapeAlone(schema: TSchema, value: unknown): void {
  expectShape(schema, value);
  // What the contract does not name does not come.
  const known = Object.keys((schema as unknown as { properties: object }).properties);
  expect(known).toEqual(expect.arrayContaining(Object.keys(value as object)));
}
