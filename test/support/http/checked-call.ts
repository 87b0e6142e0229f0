// Calls operations of the operator and developer APIs. Every response is checked against the contract: it lists the status, and
// the body has the shape for it.

import { clientSecretHeader, type DeveloperOperation } from '@opentill/contract/developer-api.ts';
import { commonProblems, errors, Problem } from '@opentill/contract/errors.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import type { TSchema } from 'typebox';
import { expect } from 'vitest';
import { expectShape } from '../expect-shape.ts';
import { adminKey, call, type HttpResponse } from '../harness.ts';
import type { ServerAddress } from '../start/opentill-process.ts';

export interface OperationCall {
  /** Path parameters by name; other properties are ignored. */
  readonly path?: object;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** An operator key, or for the developer API an access token. */
  readonly key?: string;
  /** The client secret that some calls of the developer API need in production. */
  readonly secret?: string | undefined;
}

export function callOperator(
  server: ServerAddress,
  operation: OperatorOperation,
  options: OperationCall = {},
): Promise<HttpResponse> {
  return checkedCall(server.operatorUrl, operation, { key: adminKey, ...options });
}

export function callDeveloper(
  server: ServerAddress,
  operation: DeveloperOperation,
  options: OperationCall & { readonly key: string },
): Promise<HttpResponse> {
  return checkedCall(server.publicUrl, operation, options);
}

export function urlOf(operation: DeveloperOperation, { path = {}, query = {} }: OperationCall): string {
  const filled = operation.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent((path as Record<string, string>)[name] ?? ''),
  );
  const parameters = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return parameters.length === 0 ? filled : `${filled}?${new URLSearchParams(parameters)}`;
}

async function checkedCall(
  host: string,
  operation: DeveloperOperation,
  options: OperationCall,
): Promise<HttpResponse> {
  const { body, key, secret } = options;
  const response = await call(host + urlOf(operation, options), {
    method: operation.method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(secret !== undefined && { [clientSecretHeader]: secret }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expectAsListed(operation, response);
  return response;
}

/** The responses of a list, page by page. */
export async function everyPage(
  read: (page: { pageToken?: string }) => Promise<HttpResponse>,
): Promise<HttpResponse['body'][]> {
  const bodies: HttpResponse['body'][] = [];
  for (let page = {}; ; page = { pageToken: bodies.at(-1).nextPageToken }) {
    const { status, body, text } = await read(page);
    expect(status, text).toBe(200);
    bodies.push(body);
    if (body.nextPageToken === undefined) return bodies;
  }
}

export function expectAsListed(operation: DeveloperOperation, response: HttpResponse): void {
  const { status, headers, text, body } = response;
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-request-id')).toMatch(/./);
  if (status >= 400) {
    const listed = [...operation.errors, ...commonProblems].map((name) => errors[name].status);
    expect(listed, `${operation.operationId} responded with ${text}`).toContain(status);
    expect(headers.get('content-type')).toBe('application/problem+json;charset=utf-8');
    expectShape(Problem, body);
    expect(body.status).toBe(status);
    return;
  }
  const schema = operation.responses[status];
  expect(schema, `${operation.operationId} responded with ${status} ${text}`).toBeDefined();
  if (status === 204) {
    expect(text).toBe('');
  } else {
    expect(headers.get('content-type')).toBe('application/json;charset=utf-8');
    expectShape(schema as TSchema, body);
  }
}
