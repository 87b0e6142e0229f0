// Converts schemas of the contract for an OpenAPI document: one that has a name becomes a component, a choice of constants
// an enum, and each field gets a value from the examples of the schema that it belongs to.

import type { OpenAPIV3_1 } from 'openapi-types';
import type { JsonSchema } from '../../packages/contract/src/parameters.ts';

type Fields = Readonly<Record<string, unknown>>;

export class SchemaReferences {
  readonly #named = new Map<string, JsonSchema>();
  /** The values of the fields of an object, by its name or itself. */
  readonly #values = new Map<string | JsonSchema, Record<string, unknown>>();
  /** The value of a field that several objects share. */
  readonly #fieldValues = new Map<JsonSchema, unknown>();
  /** Converted once all examples are known. */
  readonly #converted: { readonly schema: JsonSchema; readonly result: Record<string, unknown> }[] = [];

  /** `examples` are values that match the schema. */
  of(schema: JsonSchema, examples: readonly unknown[] = []): object {
    for (const example of examples) this.#collect(schema, example);
    const result = {};
    this.#converted.push({ schema, result });
    return result;
  }

  /** The components. Completes all schemas. */
  schemas(): Record<string, OpenAPIV3_1.SchemaObject> {
    for (const { schema, result } of this.#converted) Object.assign(result, this.#convert(schema));
    const components: Record<string, object> = {};
    // A conversion may find further names.
    for (const [name, schema] of this.#named) components[name] = this.#withoutName(schema);
    return components;
  }

  #collect(schema: JsonSchema, value: unknown): void {
    const { anyOf, items, properties } = schema;
    if (Array.isArray(value)) {
      if (items !== undefined) for (const entry of value) this.#collect(items, entry);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if (anyOf !== undefined) {
      const choice = anyOf.find((candidate) => hasFieldsOf(candidate, value as Fields));
      if (choice !== undefined) this.#collect(choice, value);
    }
    for (const [name, field] of Object.entries(value)) {
      const property = properties?.[name];
      if (property === undefined) continue;
      const key = schema.$id ?? schema;
      const known = this.#values.get(key) ?? {};
      this.#values.set(key, { [name]: field, ...known });
      if (!this.#fieldValues.has(property)) this.#fieldValues.set(property, field);
      this.#collect(property, field);
    }
  }

  #convert(schema: JsonSchema): object {
    const { $id } = schema;
    if ($id === undefined) return this.#withoutName(schema);
    this.#named.set($id, this.#named.get($id) ?? schema);
    return { $ref: `#/components/schemas/${$id}` };
  }

  #withoutName(schema: JsonSchema): object {
    const { $id, anyOf, items, properties, ...rest } = JSON.parse(JSON.stringify(schema)) as JsonSchema;
    if (anyOf?.every((choice) => choice.const !== undefined) === true) {
      return { type: anyOf[0]?.type, enum: anyOf.map((choice) => choice.const), ...rest };
    }
    const values = this.#values.get($id ?? schema) ?? {};
    return {
      ...rest,
      ...(schema.anyOf && { anyOf: schema.anyOf.map((choice) => this.#convert(choice)) }),
      ...(schema.items && { items: this.#convert(schema.items) }),
      ...(schema.properties && {
        properties: Object.fromEntries(
          Object.entries(schema.properties).map(([name, field]) => [
            name,
            this.#field(field, values[name] ?? this.#fieldValues.get(field)),
          ]),
        ),
      }),
    };
  }

  #field(schema: JsonSchema, value: unknown): object {
    const converted = this.#convert(schema);
    const isWhole = value === undefined || typeof value === 'object' || '$ref' in converted;
    return isWhole ? converted : { ...converted, examples: [value] };
  }
}

/** Whether an object is of this choice: its constants have the same values, and it requires no other fields. */
function hasFieldsOf({ anyOf, properties = {}, required = [] }: JsonSchema, value: Fields): boolean {
  if (anyOf !== undefined) return anyOf.some((choice) => hasFieldsOf(choice, value));
  return (
    required.every((name) => name in value) &&
    Object.keys(value).every((name) => name in properties) &&
    Object.entries(properties).every(
      ([name, field]) => field.const === undefined || field.const === value[name],
    )
  );
}
