// Calls operations of the purchase API. Every response is checked against the contract: a success has the shape and headers
// of its operation, an error is one that the operation lists.

import { commonErrors, type ErrorName, errors, PurchaseApiError } from '@opentill/contract/errors.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import type { TSchema } from 'typebox';
import { expect } from 'vitest';
import { expectShape } from '../expect-shape.ts';
import type { HttpResponse, TestApp } from '../harness.ts';
import type { ServerAddress } from '../start/opentill-process.ts';
import { sendRequest } from './sent-request.ts';

export const jsonContentType = 'application/json;charset=utf-8';

export interface PurchaseCall {
  /** Path values, which get percent-encoded; packageName is that of the app by default. */
  readonly path?: Readonly<Record<string, string>>;
  /** Includes the question mark. */
  readonly query?: string;
  /** Changes to a valid Authorization and Content-Type; undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly isChunked?: boolean;
}

/** Calls an operation with the token of the app, and checks the response against the contract. */
export async function callPurchase(
  server: ServerAddress,
  operation: PurchaseOperation,
  app: Pick<TestApp, 'packageName' | 'token'>,
  { path = {}, query = '', headers = {}, body, isChunked }: PurchaseCall = {},
): Promise<HttpResponse> {
  const response = await sendRequest(server.publicUrl, {
    method: operation.method,
    path: pathOf(operation, { packageName: app.packageName, ...path }) + query,
    headers: goodHeaders(app, headers),
    ...(body !== undefined && { body }),
    ...(isChunked !== undefined && { isChunked }),
  });
  expectAsListed(operation, response);
  return response;
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

/** Checks the common headers of a response of the public listener and the shape of an error. */
export function expectCommon({ status, headers, text, body }: HttpResponse): void {
  expect(headers.get('x-request-id')).toMatch(/^[\w-]+$/);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-type')).toBe(jsonContentType);
  if (status < 400) return;
  expectShapeAlone(PurchaseApiError, body);
  expect(text).toBe(`{"error":{"code":${body.error.code},"message":${JSON.stringify(body.error.message)}}}`);
}

/** Operations of the purchase API, or of the events API, which has the same errors. */
export function expectAsListed(
  operation: Pick<PurchaseOperation, 'operationId' | 'response' | 'errors'>,
  response: HttpResponse,
): void {
  expectCommon(response);
  const { status, body, text } = response;
  if (status === 200) {
    expectShapeAlone(operation.response, body);
    return;
  }
  const listed = [...operation.errors, ...commonErrors].map((name) => errors[name]);
  const isListed = listed.some((error) => error.code === body.error.code && error.status === status);
  expect(isListed, `${operation.operationId} responded with ${status} ${text}`).toBe(true);
}

/** Expects an error; `subject` is the field, header or parameter at the start of its message. */
export function expectFailure(response: HttpResponse, name: ErrorName, subject?: string): void {
  const { code, status } = errors[name];
  expectCommon(response);
  expect([response.status, response.body.error.code], response.text).toEqual([status, code]);
  expect(response.headers.get('www-authenticate')).toBe(name === 'unauthorized' ? 'Bearer' : null);
  if (subject !== undefined) expect(response.body.error.message.split(': ')[0]).toBe(subject);
}

function expectShapeAlone(schema: TSchema, value: unknown): void {
  expectShape(schema, value);
  // The response has no fields that are not in the contract.
  const known = Object.keys((schema as unknown as { properties: object }).properties);
  expect(known).toEqual(expect.arrayContaining(Object.keys(value as object)));
}
