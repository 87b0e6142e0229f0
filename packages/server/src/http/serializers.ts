// How answers become text: by a serializer for each schema of the contract. It is compiled when the first answer of
// its shape goes out, since most of the time that all of them together take is spent for operations that a server is
// not asked for; all routes and all servers of the process share it.

import fastJsonStringify from 'fast-json-stringify';
import { remembered } from '../runtime/remembered.ts';
import { inDeclaredOrder } from './declared-order.ts';

type Serializer = (value: unknown) => string;

const compiledOnce = remembered(
  (schema: object): Serializer => fastJsonStringify(inDeclaredOrder(schema) as object),
);

/** For Fastify, which asks for one for each status of each route. */
export function serializerOf({ schema }: { readonly schema: object }): Serializer {
  let serialize: Serializer | undefined;
  return (value) => {
    serialize ??= compiledOnce(schema);
    return serialize(value);
  };
}
