// The path, query and body of an operation as one object, as the client takes them.

import type { TSchema } from 'typebox';

/** The parts of a JSON schema that the contract uses, and that its readers show. */
export interface JsonSchema {
  readonly $id?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

interface Operation {
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, TSchema>>;
  readonly query?: TSchema;
  readonly body?: TSchema;
}

export const jsonSchema = (schema: TSchema): JsonSchema => schema as unknown as JsonSchema;

export function parametersOf({ path, pathParameters, query, body }: Operation) {
  const inPath = { properties: pathParameters, required: Object.keys(pathParameters) };
  // A body that is a list is passed under the last word of the path.
  const word = path.slice(path.lastIndexOf('/') + 1);
  const parts = [query, body]
    .filter((schema) => schema !== undefined)
    .map(jsonSchema)
    .map((part) => (part.type === 'array' ? { properties: { [word]: part }, required: [word] } : part));
  const objects = [inPath as unknown as JsonSchema, ...parts];
  return {
    type: 'object',
    properties: Object.assign({}, ...objects.map(({ properties }) => properties)) as Record<
      string,
      JsonSchema
    >,
    required: objects.flatMap(({ required = [] }) => required),
  };
}
