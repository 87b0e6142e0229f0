// The OpenAPI document is valid and complete.

import { errors } from '@opentill/contract/errors.ts';
import { eventTypes } from '@opentill/contract/events.ts';
import { eventsOperations, operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { type SandboxOperation, sandboxOperations } from '@opentill/contract/sandbox-api.ts';
import { Validator } from '@seriousme/openapi-schema-validator';
import Value from 'typebox/value';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../src/http/openapi/document.ts';

type Json = { readonly [key: string]: unknown };

/** The document as plain JSON. */
const document = JSON.parse(JSON.stringify(await openApiDocument('sandboxOperator'))) as Json;

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly Json[];
  readonly parameters?: readonly { name: string; in: string; required: boolean }[];
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly headers?: Json }>>;
}

const operations = Object.entries(document['paths'] as Record<string, Record<string, Operation>>).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path}`,
      operation,
    })),
);

interface Expected {
  readonly operationId: string;
  readonly declared: {
    readonly method: string;
    readonly path: string;
    readonly pathParameters: object;
    readonly query?: object;
  };
  /** The status and the text of each error. */
  readonly errors: readonly { readonly status: number; readonly text: string }[];
}

const codeTexts = (names: readonly (keyof typeof errors)[]): Expected['errors'] =>
  names.map((name) => ({ status: errors[name].status, text: `\`${errors[name].code}\` ${name}: ` }));
const problemTexts = (names: readonly (keyof typeof errors)[]): Expected['errors'] =>
  names.map((name) => ({ status: errors[name].status, text: `\`${errors[name].type}\`: ` }));

const expected: readonly Expected[] = [
  ...purchaseOperations.map((declared) => ({
    operationId: declared.operationId,
    declared,
    errors: codeTexts(declared.errors),
  })),
  ...eventsOperations.map((declared) => ({
    operationId: `events.${declared.operationId}`,
    declared,
    errors: codeTexts(declared.errors),
  })),
  ...sandboxOperations.map((declared) => ({
    operationId: `sandbox.${declared.operationId}`,
    declared,
    errors: problemTexts(declared.errors),
  })),
  ...operatorOperations.map((declared) => ({
    operationId: declared.operationId,
    declared,
    errors: problemTexts(declared.errors),
  })),
];

function operationNamed(operationId: string): Operation {
  const found = operations.find(({ operation }) => operation.operationId === operationId);
  if (found === undefined) throw new Error(`There is no ${operationId}.`);
  return found.operation;
}

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate({ ...structuredClone(document) })).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('the validator rejects an invalid document', async () => {
  const wrong = { ...structuredClone(document), info: { title: 'no version' } };
  expect((await new Validator().validate(wrong)).valid).toBe(false);
});

test('every reference of the document has a target', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to ?? '');
  expect(references.length).toBeGreaterThan(operations.length);
  for (const reference of new Set(references)) {
    expect(Value.Pointer.Has(document, reference.slice(1)), reference).toBe(true);
  }
});

test('the document has each operation of the contract once, by method and path', () => {
  const declared = expected.map(({ operationId, declared: { method, path } }) => [
    operationId,
    `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  ]);
  expect(operations.map(({ operation, call }) => [operation.operationId, call]).sort()).toEqual(
    declared.sort(),
  );
  expect(new Set(declared.map(([operationId]) => operationId)).size).toBe(declared.length);
});

test.each(expected)(
  '$operationId has each parameter of its path and query in the document',
  ({ operationId, declared }) => {
    const { pathParameters } = declared;
    const query = (declared.query ?? {}) as { properties?: object; required?: readonly string[] };
    const inPath = Object.keys(pathParameters).map((name) => ({ in: 'path', name, required: true }));
    const inQuery = Object.keys(query.properties ?? {}).map((name) => ({
      in: 'query',
      name,
      required: query.required?.includes(name) === true,
    }));
    const { parameters = [] } = operationNamed(operationId);
    const named = parameters.map((parameter) => ({
      in: parameter.in,
      name: parameter.name,
      required: parameter.required,
    }));
    expect(new Set(named)).toEqual(new Set([...inPath, ...inQuery]));
  },
);

test.each(expected)(
  '$operationId lists each of its errors with its code in the document',
  ({ operationId, errors }) => {
    const { responses } = operationNamed(operationId);
    for (const { status, text } of errors) expect(responses[status]?.description).toContain(text);
  },
);

test('every operation except getAccessToken and createSession requires a token or a key in the document', () => {
  for (const { operation } of operations) {
    const scheme = operation.tags[0] === 'Operator API' ? 'operatorKey' : 'accessToken';
    const required = ['getAccessToken', 'createSession'].includes(operation.operationId)
      ? []
      : [{ [scheme]: [] }];
    expect(operation.security, operation.operationId).toEqual(required);
  }
});

test('a body is required in the document unless the contract says that it is optional', () => {
  expect(operationNamed('getAccessToken').requestBody?.required).toBe(true);
  for (const { operationId, body, bodyOptional } of operatorOperations as readonly OperatorOperation[]) {
    const required = body === undefined ? undefined : bodyOptional !== true;
    expect(operationNamed(operationId).requestBody?.required, operationId).toBe(required);
  }
  for (const { operationId, body, bodyOptional } of sandboxOperations as readonly SandboxOperation[]) {
    const required = body === undefined ? undefined : bodyOptional !== true;
    expect(operationNamed(`sandbox.${operationId}`).requestBody?.required, operationId).toBe(required);
  }
});

test('a status with an additional header lists it in the document', () => {
  const headers = { 401: 'www-authenticate', 429: 'retry-after', 503: 'retry-after', default: 'allow' };
  for (const { operation } of operations) {
    for (const [status, header] of Object.entries(headers)) {
      const response = operation.responses[status];
      if (response !== undefined) expect(Object.keys(response.headers ?? {})).toContain(header);
    }
  }
});

test('the document has each type of event as a webhook with its schema', () => {
  const webhooks = document['webhooks'] as Record<string, { post: { requestBody: Json } }>;
  expect(Object.keys(webhooks)).toEqual(Object.keys(eventTypes));
  for (const [type, { post }] of Object.entries(webhooks)) {
    const schema = Value.Pointer.Get(post.requestBody, '/content/application~1json/schema/$ref') as string;
    expect(Value.Pointer.Get(document, `${schema.slice(1)}/properties/type/const`)).toBe(type);
  }
});
