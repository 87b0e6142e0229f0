// Calls of the purchase API by their contracts. Every answer is held against the contract: a success has the
// shape and the headers of its operation, a refusal is one that the operation lists, in the one error shape.

import { commonErrors, type ErrorName, errors, PurchaseApiError } from '@opentill/contract/errors.ts';
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
  operation: Pick<PurchaseOperation, 'operationId' | 'response' | 'errors'>,
  answer: Answer,
): void {
  expectCommon(answer);
  const { status, body, text } = answer;
  if (status === 200) {
    expectShapeAlone(operation.response, body);
    return;
  }
  const listed = [...operation.errors, ...commonErrors].map((name) => errors[name]);
  const isListed = listed.some((error) => error.code === body.error.code && error.status === status);
  expect(isListed, `${operation.operationId} answered ${status} ${text}`).toBe(true);
}

/** The error of this name; `subject` is the field, header or parameter that its message names first. */
export function expectFailure(answer: Answer, name: ErrorName, subject?: string): void {
  const { code, status } = errors[name];
  expectCommon(answer);
  expect([answer.status, answer.body.error.code], answer.text).toEqual([status, code]);
  expect(answer.headers.get('www-authenticate')).toBe(name === 'unauthorized' ? 'Bearer' : null);
  if (subject !== undefined) expect(answer.body.error.message.split(': ')[0]).toBe(subject);
}

function expectShapeAlone(schema: TSchema, value: unknown): void {
  expectShape(schema, value);
  // What the contract does not name does not come.
  const known = Object.keys((schema as unknown as { properties: object }).properties);
  expect(known).toEqual(expect.arrayContaining(Object.keys(value as object)));
}
