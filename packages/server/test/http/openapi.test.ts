// The OpenAPI document is valid and complete.

import { errors } from '@opentill/contract/errors.ts';
import { eventTypes } from '@opentill/contract/events.ts';
import { eventsOperations, operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import { sandboxOperations } from '@opentill/contract/sandbox-api.ts';
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

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate({ ...structuredClone(document) })).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
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

test('every operation except getAccessToken and createSession requires a token or a key in the document', () => {
  for (const { operation } of operations) {
    const scheme = operation.tags[0] === 'Operator API' ? 'operatorKey' : 'accessToken';
    const required = ['getAccessToken', 'createSession'].includes(operation.operationId)
      ? []
      : [{ [scheme]: [] }];
    expect(operation.security, operation.operationId).toEqual(required);
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
