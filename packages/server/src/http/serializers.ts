// Serializes response bodies, with keys in the order of the contract. A serializer is compiled with the first response of
// its schema, because compiling all of them would take most of the start.

import fastJsonStringify from 'fast-json-stringify';
import { memoize } from '../runtime/memoize.ts';

type Serializer = (value: unknown) => string;

/** Shared by all routes and all servers of the process. */
const compiled = memoize(
  (schema: object): Serializer => fastJsonStringify(inDeclaredOrder(schema) as object),
);

/** For Fastify, which requests a serializer for each status of each route. */
export function serializerOf({ schema }: { readonly schema: object }): Serializer {
  let serialize: Serializer | undefined;
  return (value) => {
    serialize ??= compiled(schema);
    return serialize(value);
  };
}

/**
 * fast-json-stringify writes required keys before optional ones, so the keys of an object that has optional ones are all
 * declared optional. A union of objects is serialized without a schema, because it would try one after another.
 */
function inDeclaredOrder(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inDeclaredOrder);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (isUnionOfObjects(schema)) return {};
  const inner = Object.entries(schema).map(([name, value]) => [name, inDeclaredOrder(value)]);
  const { required, ...rest } = Object.fromEntries(inner) as { required?: unknown; properties?: object };
  const hasOptionalKeys =
    Array.isArray(required) && required.length < Object.keys(rest.properties ?? {}).length;
  return required === undefined || hasOptionalKeys ? rest : { ...rest, required };
}

function isUnionOfObjects({ anyOf }: { readonly anyOf?: readonly { readonly type?: string }[] }): boolean {
  return anyOf?.some(({ type }) => type === 'object') ?? false;
}
