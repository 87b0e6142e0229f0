// What developers get of operations of the operator API, whatever fields these get.

import { developerForm, developerOperations } from '@opentill/contract/developer-api.ts';
import { shownFields, shownFilters } from '@opentill/contract/developer-fields.ts';
import { operatorOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { type JsonSchema, jsonSchema } from '@opentill/contract/parameters.ts';
import fc from 'fast-check';
import Type, { type TObject, type TProperties, type TSchema, type TSchemaOptions } from 'typebox';
import { expect, test } from 'vitest';
import { developerHandlers } from '../../src/operations/developer-handler.ts';
import type { OperatorCall, OperatorResponse } from '../../src/operations/operator-handler.ts';

const declared = new Map<string, OperatorOperation>(
  operatorOperations.map((operation) => [operation.operationId, operation]),
);
const operations = developerOperations.production.map(({ operationId }) => ({
  operationId,
  operation: declared.get(operationId) as OperatorOperation,
}));

/** Names that no operation has, and names of what a developer must not see. */
const addedNames = fc.oneof(
  fc.stringMatching(/^[a-z]{3}[A-Z][a-z]{5}$/),
  fc.constantFrom('buyerId', 'note', 'ticket', 'reasonCode', 'clientAddress', 'requestId', 'operatorKey'),
);

/** The schema with another field in each of its objects. */
function grown<Schema extends TSchema>(schema: Schema, name: string): Schema {
  const larger = (): TSchema => {
    if (Type.IsArray(schema)) return Type.Array(grown(schema.items, name), optionsOf(schema));
    if (Type.IsUnion(schema))
      return Type.Union(
        schema.anyOf.map((part) => grown(part, name)),
        optionsOf(schema),
      );
    if (!Type.IsObject(schema)) return schema;
    const properties = Object.entries(schema.properties).map(([each, part]) => [each, grown(part, name)]);
    const added = { [name]: Type.String(), ...Object.fromEntries(properties) } as TProperties;
    return Type.Object(added, optionsOf(schema));
  };
  return (Type.IsOptional(schema) ? Type.Optional(larger()) : larger()) as Schema;
}

function optionsOf(schema: object): TSchemaOptions {
  const { type: _t, items: _i, anyOf: _a, properties: _p, required: _r, ...options } = schema as JsonSchema;
  return options as TSchemaOptions;
}

/** With another field in each object of its responses, and another filter. */
function grownOperation(operation: OperatorOperation, name: string): OperatorOperation {
  const responses = Object.entries(operation.responses).map(([status, schema]) => [
    status,
    grown(schema, name),
  ]);
  return {
    ...operation,
    responses: Object.fromEntries(responses),
    ...(operation.query && { query: grown(operation.query, name) as TObject }),
  };
}

const author = /operator:<key name>/;
const keyName = 'operator:a key';

/** A value with every field, and the name of a key wherever an author is. */
function fullValue(schema: JsonSchema): unknown {
  const { type, const: constant, anyOf, items = {}, properties = {}, description = '' } = schema;
  if (constant !== undefined) return constant;
  if (anyOf !== undefined) return fullValue(anyOf.at(-1) ?? {});
  if (type === 'array') return [fullValue(items)];
  if (type === 'string') return author.test(description) ? keyName : 'text';
  if (type !== 'object') return type === 'boolean' ? true : 1;
  return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, fullValue(part)]));
}

/** The names of all fields in a value. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(namesIn)];
}

test.each(operations)(
  '$operationId of production has no field and no filter that is not listed for developers',
  ({ operation }) => {
    // A resource that is shown in part has a name of its own.
    const form = (given: OperatorOperation) =>
      JSON.stringify(developerForm(given, 'production')).replaceAll('"$id":"Developer', '"$id":"');
    fc.assert(
      fc.property(addedNames, (name) => {
        expect(form(grownOperation(operation, name))).toBe(form(operation));
      }),
    );
  },
);

test.each(operations)(
  '$operationId of production shows no value that is not listed for developers, and no name of a key',
  async ({ operationId, operation }) => {
    const property = fc.asyncProperty(addedNames, async (name) => {
      for (const [status, schema] of Object.entries(operation.responses)) {
        const body = fullValue(jsonSchema(grown(schema, name)));
        const handle = async () => ({ status: Number(status), body }) as OperatorResponse;
        const options = { environment: 'production', access: 'full' } as const;
        const [handler] = developerHandlers([{ operation, handle }], options);
        const response = (await handler?.handle({ path: {}, query: {} } as OperatorCall)) as {
          body?: unknown;
        };
        expect(namesIn(response.body)).not.toContain(name);
        expect(JSON.stringify(response.body) ?? '').not.toContain('operator:');
        if (status !== '204') expect(namesIn(response.body), operationId).not.toEqual([]);
      }
    });
    await fc.assert(property, { numRuns: 20 });
  },
);

test.each(developerOperations.sandbox)('each listed field and filter of $operationId exists', (operation) => {
  const { operationId, responses, query } = operation;
  const listed = namesIn(shownFields[operationId as keyof typeof shownFields]);
  const shown = namesIn(Object.values(responses).map((schema) => fullValue(jsonSchema(schema))));
  expect(listed.filter((name) => !shown.includes(name))).toEqual([]);
  const filters: Readonly<Record<string, readonly string[]>> = shownFilters;
  expect(Object.keys(query?.properties ?? {})).toEqual(
    expect.arrayContaining([...(filters[operationId] ?? [])]),
  );
});

test('a resource of the developer API has the same fields wherever it is shown', () => {
  for (const environment of ['sandbox', 'production'] as const) {
    const named = new Map<string, string>();
    for (const { responses } of developerOperations[environment]) {
      JSON.stringify(Object.values(responses), (_name, part) => {
        if (typeof part?.$id !== 'string') return part;
        const text = JSON.stringify(part);
        expect(named.get(part.$id) ?? text).toBe(text);
        named.set(part.$id, text);
        return part;
      });
    }
    expect(named.size).toBeGreaterThan(10);
  }
});
