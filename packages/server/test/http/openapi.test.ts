// The OpenAPI document: valid, whole, and the same as the file in docs/.

import { readFile } from 'node:fs/promises';
import { eventTypes } from '@opentill/contract/events.ts';
import { failures } from '@opentill/contract/failures.ts';
import { eventsOperations, operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import { problems } from '@opentill/contract/problems.ts';
import { sandboxOperations } from '@opentill/contract/sandbox-api.ts';
import { Validator } from '@seriousme/openapi-schema-validator';
import Schema from 'typebox/schema';
import Value from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../src/http/openapi.ts';

type Json = { readonly [key: string]: unknown };

/** As a reader of the file gets it: plain JSON. */
const document = JSON.parse(JSON.stringify(openApiDocument())) as Json;

/** Every object in the document, with the JSON pointer that leads to it. */
function* objectsOf(value: unknown, pointer = ''): Generator<{ pointer: string; object: Json }> {
  if (typeof value !== 'object' || value === null) return;
  yield { pointer, object: value as Json };
  for (const [key, inner] of Object.entries(value)) {
    yield* objectsOf(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

const objects = [...objectsOf(document)];

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly Json[];
  readonly parameters?: readonly { name: string; in: string; required: boolean }[];
  readonly responses: Readonly<Record<string, Json>>;
  readonly servers?: unknown;
}

const operations = Object.entries(document['paths'] as Record<string, Record<string, Operation>>).flatMap(
  ([path, item]) =>
    Object.entries(item)
      .filter(([key]) => key !== 'servers')
      .map(([method, operation]) => ({ path, method, operation })),
);

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate({ ...structuredClone(document) })).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('the validator refuses a document that is not valid', async () => {
  const wrong = { ...structuredClone(document), info: { title: 'no version' } };
  expect((await new Validator().validate(wrong)).valid).toBe(false);
});

test('docs/openapi.json is the document: "npm run openapi" writes it anew', async () => {
  const file = await readFile(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8');
  expect(file).toBe(`${JSON.stringify(openApiDocument(), undefined, 2)}\n`);
});

test('every reference leads somewhere, and every component is referred to', () => {
  const references = objects.flatMap(({ object: { $ref } }) => (typeof $ref === 'string' ? [$ref] : []));
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) {
    expect(Value.Pointer.Has(document, reference.slice(1)), reference).toBe(true);
  }
  const { schemas, responses, headers } = document['components'] as Record<string, Json>;
  for (const [kind, components] of Object.entries({ schemas, responses, headers })) {
    for (const name of Object.keys(components ?? {})) {
      expect(references, name).toContain(`#/components/${kind}/${name}`);
    }
  }
});

describe('operations', () => {
  test('are those of the contract, each with an operationId of its own', () => {
    const declared = [
      ...purchaseOperations.map(({ operationId }) => operationId),
      ...operatorOperations.map(({ operationId }) => operationId),
      ...eventsOperations.map(({ operationId }) => `events.${operationId}`),
      ...sandboxOperations.map(({ operationId }) => `sandbox.${operationId}`),
    ];
    expect(operations.map(({ operation }) => operation.operationId).sort()).toEqual(declared.sort());
    expect(new Set(declared).size).toBe(declared.length);
  });

  test.each(operations)('$method $path names each parameter of its path', ({ path, operation }) => {
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    const expected = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(inPath.map(({ name }) => name).sort()).toEqual(expected.sort());
    expect(inPath.every(({ required }) => required)).toBe(true);
  });

  test('need a token, but for the one that gives tokens', () => {
    for (const { operation } of operations) {
      const scheme = operation.tags[0] === 'Operator API' ? 'operatorKey' : 'accessToken';
      const expected = operation.operationId === 'getAccessToken' ? [] : [{ [scheme]: [] }];
      expect(operation.security, operation.operationId).toEqual(expected);
    }
  });
});

/** What the responses of an operation say, references followed. */
function responseTexts(operation: Operation): string {
  const resolved = Object.entries(operation.responses).map(([status, response]) => {
    const { $ref } = response as { $ref?: string };
    const whole = $ref === undefined ? response : Value.Pointer.Get(document, $ref.slice(1));
    return `${status} ${JSON.stringify(whole)}`;
  });
  return resolved.join('\n');
}

function operationNamed(operationId: string): Operation {
  const found = operations.find(({ operation }) => operation.operationId === operationId);
  if (found === undefined) throw new Error(`There is no ${operationId}.`);
  return found.operation;
}

describe('responses', () => {
  test.each([
    ...purchaseOperations.map((declared) => ({ declared, name: declared.operationId as string })),
    ...eventsOperations.map((declared) => ({ declared, name: `events.${declared.operationId}` })),
  ])('of $name name each of its failures', ({ declared, name: operationId }) => {
    const operation = operationNamed(operationId);
    for (const name of declared.failures) {
      expect(operation.responses).toHaveProperty([String(failures[name].httpStatus)]);
      expect(responseTexts(operation)).toContain(`\`${failures[name].code}\` ${name}: `);
    }
  });

  test.each([
    ...operatorOperations.map((declared) => ({ declared, name: declared.operationId as string })),
    ...sandboxOperations.map((declared) => ({ declared, name: `sandbox.${declared.operationId}` })),
  ])('of $name name each of its problems', ({ declared, name }) => {
    const operation = operationNamed(name);
    for (const problem of declared.problems) {
      expect(operation.responses).toHaveProperty([String(problems[problem].status)]);
      expect(responseTexts(operation)).toContain(`\`${problems[problem].type}\`: `);
    }
  });

  test('say which headers come with a status', () => {
    const headers = { 401: 'www-authenticate', 429: 'retry-after', 503: 'retry-after', 405: 'allow' };
    const texts = operations.map(({ operation }) => responseTexts(operation)).join('\n');
    for (const header of Object.values(headers)) {
      expect(texts).toContain(`#/components/headers/${header}`);
    }
    expect(texts).not.toContain('"description":""');
  });
});

test('the document shows each type of event as a webhook, with its schema', () => {
  const webhooks = document['webhooks'] as Record<string, { post: { requestBody: Json } }>;
  expect(Object.keys(webhooks)).toEqual(Object.keys(eventTypes));
  for (const [type, { post }] of Object.entries(webhooks)) {
    const schema = Value.Pointer.Get(post.requestBody, '/content/application~1json/schema/$ref') as string;
    expect(Value.Pointer.Get(document, `${schema.slice(1)}/properties/type/const`)).toBe(type);
  }
});

test('every example is one that its schema allows', () => {
  const { components } = document as { components: Json };
  const media = objects.filter(
    ({ object }) => 'schema' in object && ('example' in object || 'examples' in object),
  );
  expect(media.length).toBeGreaterThan(operations.length);
  for (const { pointer, object } of media) {
    const { schema, example, examples = {} } = object as { schema: Json; example?: unknown; examples?: Json };
    const named = Object.values(examples).map((entry) => (entry as { value: unknown }).value);
    const shown = example === undefined ? named : [example];
    const check = Schema.Compile({ ...schema, components } as Schema.XSchema);
    for (const value of shown) expect([pointer, ...check.Errors(value)[1]]).toEqual([pointer]);
  }
});
