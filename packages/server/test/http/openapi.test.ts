// The OpenAPI document is valid and complete.

import { developerOperations } from '@opentill/contract/developer-api.ts';
import { eventTypes } from '@opentill/contract/events.ts';
import { eventsOperations, operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import { Validator } from '@seriousme/openapi-schema-validator';
import Value from 'typebox/value';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../src/http/openapi/document.ts';

type Json = { readonly [key: string]: unknown };

/** The document as plain JSON. */
const document = JSON.parse(JSON.stringify(await openApiDocument('sandboxOperator'))) as Json;

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly requestBody?: Json;
  readonly tags: readonly string[];
  readonly security: readonly Json[];
}

const operations = Object.entries(document['paths'] as Record<string, Record<string, Operation>>).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path}`,
      operation,
    })),
);

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
  const declared = [
    ...[...purchaseOperations, ...operatorOperations].map((operation) => ['', operation] as const),
    ...eventsOperations.map((operation) => ['events.', operation] as const),
    ...developerOperations.sandbox.map((operation) => ['developer.', operation] as const),
  ].map(([prefix, { operationId, method, path }]) => [
    prefix + operationId,
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

test('every purchase operation with a token names its Content-Type and declares it as that of a body, without any', () => {
  const required = operations.filter(({ operation }) => operation.description?.includes('Content-Type'));
  const names = purchaseOperations.map(({ operationId }) => operationId);
  expect(required.map(({ operation }) => operation.operationId)).toEqual(
    names.filter((name) => name !== 'getAccessToken'),
  );
  for (const { operation } of required) {
    const { required, content } = operation.requestBody as Json;
    expect([required, Object.keys(content as Json)], operation.operationId).toEqual([
      false,
      ['application/json'],
    ]);
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
