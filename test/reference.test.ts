// The OpenAPI documents are valid and complete, and their examples are responses of a server.

import { Event, eventTypes } from '@opentill/contract/events.ts';
import { fieldKindOf } from '@opentill/contract/field-kinds.ts';
import { timestampMin } from '@opentill/contract/fields.ts';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { expect, test } from 'vitest';
import type { JsonSchema } from '../packages/contract/src/parameters.ts';
import { apis, purchaseApi } from '../packaging/reference/apis.ts';
import { openApiDocument } from '../packaging/reference/document.ts';
import { eventExamples, exampleOf, partsOf } from '../packaging/reference/examples.ts';
import { guides } from '../packaging/reference/guides.ts';

type Json = { readonly [key: string]: unknown };

/** The document as plain JSON. */
const document = JSON.parse(JSON.stringify(openApiDocument('everyone'))) as Json;

interface Content {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: object;
}

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly requestBody?: Json;
  readonly tags: readonly string[];
  readonly security: readonly Json[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

const operations = Object.entries(document['paths'] as Record<string, Record<string, Operation>>).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path}`,
      operation,
    })),
);

const declared = apis.flatMap((api) => api.operations.map((operation) => ({ api, operation })));

test.each(['developer', 'productionDeveloper', 'productionOperator', 'sandboxOperator', 'everyone'] as const)(
  'the document for %s is valid OpenAPI 3.1',
  async (audience) => {
    const validator = new Validator();
    const text = JSON.stringify(openApiDocument(audience));
    expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  },
);

test('every reference of the document has a target', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to ?? '');
  expect(references.length).toBeGreaterThan(operations.length);
  for (const reference of new Set(references)) {
    expect(Value.Pointer.Has(document, reference.slice(1)), reference).toBe(true);
  }
});

/** Every value that a schema names. */
function namedValues(part: unknown): unknown[] {
  if (typeof part !== 'object' || part === null) return [];
  const { const: only, enum: several = [] } = part as { const?: unknown; enum?: unknown };
  return [only, several, ...Object.values(part).map(namedValues)].flat();
}

test('every value that the documents name is in camelCase, except types of events, what OAuth and the contract of stores name, and periods', () => {
  const values = new Set(namedValues(document).filter((value) => typeof value === 'string'));
  expect(values).toContain('oneTime');
  const others = [...values].filter((value) => !/^[a-z][a-zA-Z0-9]*$/.test(value));
  const ofContract = ['client_credentials', 'SUCCESS', 'DEFAULT', '0', '1'];
  expect(others.filter((value) => !/^P\d[WMY]$/.test(value)).sort()).toEqual(
    [...ofContract, ...Object.keys(eventTypes).filter((type) => type !== 'test')].sort(),
  );
});

test('the document has each operation of the contract once, by method and path', () => {
  const calls = declared.map(({ api, operation: { operationId, method, path } }) => [
    api.prefix + operationId,
    `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  ]);
  expect(operations.map(({ operation, call }) => [operation.operationId, call]).sort()).toEqual(calls.sort());
  expect(new Set(calls.map(([operationId]) => operationId)).size).toBe(calls.length);
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
  const names = purchaseApi.operations.map(({ operationId }) => operationId);
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

/** The schemas of the contract, whose types hide that TypeBox can check them. */
const problemsOf = (schema: JsonSchema, value: unknown) => Value.Errors(schema as unknown as TSchema, value);

test('the parameters and the responses of each example match the contract', () => {
  for (const { api, operation } of declared) {
    const name = api.prefix + operation.operationId;
    const { parameters, responses } = exampleOf(api, operation);
    const { path, query, body } = partsOf(operation, parameters);
    for (const [parameter, schema] of Object.entries(operation.pathParameters))
      expect(problemsOf(schema, path[parameter]), `${name} ${parameter}`).toEqual([]);
    if (operation.query !== undefined) expect(problemsOf(operation.query, query), name).toEqual([]);
    if (body !== undefined) expect(problemsOf(operation.body as JsonSchema, body), name).toEqual([]);
    expect(Object.keys(responses), name).toEqual(Object.keys(operation.responses));
    for (const [status, values] of Object.entries(responses)) {
      const schema = operation.responses[Number(status)] as JsonSchema;
      for (const value of values) expect(problemsOf(schema, value), `${name} ${status}`).toEqual([]);
    }
  }
});

test('there is an example of each type of event, which matches the contract', () => {
  expect(Object.keys(eventExamples).sort()).toEqual(Object.keys(eventTypes).sort());
  for (const [type, event] of Object.entries(eventExamples))
    expect(Value.Errors(Event, event), type).toEqual([]);
});

/** The paths of fields without an example, except those whose values the schema lists. */
function withoutExample(schema: JsonSchema & { readonly enum?: unknown }, path: string): string[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((choice) => withoutExample(choice, path));
  if (schema.items !== undefined) return withoutExample(schema.items, `${path}[]`);
  if (schema.properties !== undefined) {
    return Object.entries(schema.properties).flatMap(([name, field]) =>
      withoutExample(field, `${path}.${name}`),
    );
  }
  const isShown = ['examples', 'enum', 'const', '$ref'].some((keyword) => keyword in schema);
  return isShown || schema.type === 'null' || path.endsWith('[]') ? [] : [path];
}

test('every response and every field of a response has an example', () => {
  const { schemas } = document['components'] as { schemas: Record<string, JsonSchema> };
  const contents = operations.flatMap(({ operation: { operationId, responses } }) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content)
        .filter(([mediaType]) => mediaType !== 'text/csv')
        .map(([, one]) => ({ name: `${operationId} ${status}`, ...one })),
    ),
  );
  const missing = [
    ...contents.flatMap(({ name, schema }) => withoutExample(schema, name)),
    ...Object.entries(schemas).flatMap(([name, schema]) => withoutExample(schema, name)),
  ];
  expect(missing).toEqual([]);
  for (const { name, example, examples } of contents) expect(example ?? examples, name).toBeDefined();
});

/** All fields of a schema. */
function fieldsOf({ anyOf = [], items, properties = {} }: JsonSchema): [name: string, field: JsonSchema][] {
  const own = Object.entries(properties);
  const inner = [...anyOf, ...(items === undefined ? [] : [items]), ...own.map(([, field]) => field)];
  return [...own, ...inner.flatMap(fieldsOf)];
}

test('a number with the name of an amount or the range of an instant is declared as one', () => {
  const fields = declared
    .flatMap(({ operation: { query, body, responses } }) => [query, body, ...Object.values(responses)])
    .flatMap((schema) => (schema === undefined ? [] : fieldsOf(schema)))
    .filter(([, { type }]) => type === 'integer');
  const amounts = fields.filter(([name]) => /^price$|Price$|Amount$/.test(name));
  const instants = fields.filter(([, { minimum }]) => minimum === timestampMin);
  for (const [kind, found] of [
    ['amount', amounts],
    ['instant', instants],
  ] as const) {
    expect(found.length).toBeGreaterThan(0);
    for (const [name, field] of found) expect(fieldKindOf(field), name).toBe(kind);
  }
});

const byId = new Map(operations.map(({ operation }) => [operation.operationId, operation]));

test('each operation has one response for all of its errors, which links to their cures', () => {
  for (const { api, operation } of declared) {
    const { default: failed, ...others } = byId.get(api.prefix + operation.operationId)?.responses ?? {};
    const text = JSON.stringify(failed);
    for (const name of operation.errors) expect(text).toContain(`[${name}](/docs/problems#`);
    expect(Object.keys(others)).toEqual(Object.keys(operation.responses));
  }
});

test('a guide that mentions an operation is linked in its description', () => {
  expect(byId.get('consumePurchase')?.description).toContain('[The client](/docs/guides/client.html)');
  for (const [, name] of JSON.stringify(document).matchAll(/\/docs\/guides\/([\w-]+)\.html/g))
    expect(guides.map((guide) => guide.name)).toContain(name);
});
