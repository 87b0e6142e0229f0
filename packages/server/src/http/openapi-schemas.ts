// From the schemas of the contract to those of an OpenAPI document: a schema with a name of its own becomes a
// component that is referred to, and a choice of constants becomes an enum.

import type { TSchema } from 'typebox';

type JsonSchema = { readonly [keyword: string]: unknown };

export interface SchemaComponents {
  /** The schema as it stands at its place: a reference when it has a name, which is then collected. */
  place(schema: TSchema): JsonSchema;
  /** Every named schema met so far, by name. */
  collected(): Record<string, JsonSchema>;
}

export function schemaComponents(): SchemaComponents {
  const components = new Map<string, JsonSchema>();

  const place = (schema: TSchema): JsonSchema => {
    const { $id: name, ...unnamed } = schema as JsonSchema & { readonly $id?: string };
    if (name === undefined) return rewritten(unnamed, place);
    if (!components.has(name)) components.set(name, rewritten(unnamed, place));
    return { $ref: `#/components/schemas/${name}` };
  };
  return {
    place,
    collected: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function rewritten(schema: JsonSchema, place: (schema: TSchema) => JsonSchema): JsonSchema {
  const { anyOf, properties, items, const: constant, ...rest } = schema;
  if (constant !== undefined) return { ...rest, type: typeOf([constant]), const: constant };
  if (Array.isArray(anyOf)) {
    const constants = anyOf.map((choice: JsonSchema) => choice['const']);
    if (constants.every((value) => value !== undefined)) {
      return { type: typeOf(constants), enum: constants, ...rest };
    }
    return { anyOf: anyOf.map((choice: TSchema) => place(choice)), ...rest };
  }
  return {
    ...rest,
    ...(properties !== undefined && { properties: placedProperties(properties as object, place) }),
    ...(items !== undefined && { items: place(items as TSchema) }),
  };
}

function placedProperties(properties: object, place: (schema: TSchema) => JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, place(schema)]));
}

/** Every number among the contract's constants is whole. */
function typeOf([first]: readonly unknown[]): string {
  return typeof first === 'number' ? 'integer' : typeof first;
}
