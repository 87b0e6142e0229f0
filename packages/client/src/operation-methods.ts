// Creates a class with a method for each operation of an API.

import { fillPath, queryOf, type Values } from './base-url.ts';
import type { CallOptions } from './call-options.ts';
import type { Call } from './connection.ts';

/** How an operation is called. */
export interface OperationCall {
  readonly method: string;
  /** With `:name` for each path parameter. */
  readonly path: string;
  /** For an operation that takes longer than others. */
  readonly timeoutMs?: number;
  /** In the developer API, the call sends the client secret as well. */
  readonly needsClientSecret?: true;
}

type Send = (call: Call) => Promise<unknown>;

/** The idempotent methods of HTTP. */
const idempotent = /^(?:GET|PUT|DELETE)$/;

/** Methods that always have a body, even an empty object. */
const withBody = /^P(?:UT|ATCH)$/;

/** Builds a call: parameters that are not in the path go into the query of a GET, or else into the body. */
export function callOf(
  operation: string,
  { method, path: template, timeoutMs: ownTimeoutMs }: OperationCall,
  parameters: Values,
  { signal, timeoutMs = ownTimeoutMs }: CallOptions,
): Call {
  const path = fillPath(operation, template, parameters);
  const inPath = new Set(template.match(/(?<=:)\w+/g));
  const rest = Object.entries(parameters).filter(([name]) => !inPath.has(name));
  if (method === 'GET') {
    return { operation, method, path: path + queryOf(rest), retry: 'idempotent', signal, timeoutMs };
  }
  const values = Object.fromEntries(rest);
  // A body that is a list is passed under the last word of the path.
  const list = values[path.slice(path.lastIndexOf('/') + 1)];
  const body =
    withBody.test(method) || rest.length > 0
      ? JSON.stringify(Array.isArray(list) ? list : values)
      : undefined;
  const retry = idempotent.test(method) ? 'idempotent' : 'whenLimited';
  return { operation, method, path, body, retry, signal, timeoutMs };
}

/** `Operations` is the type of the methods. */
export function operationMethods<Operations>(
  calls: Readonly<Record<string, OperationCall>>,
): new (
  send: Send,
) => Operations {
  class WithOperations {
    readonly #send: Send;

    constructor(send: Send) {
      this.#send = send;
    }

    static {
      for (const [operation, call] of Object.entries(calls)) {
        const value = async function (
          this: WithOperations,
          parameters: Values = {},
          options: CallOptions = {},
        ) {
          return this.#send(callOf(operation, call, parameters, options));
        };
        Object.defineProperty(WithOperations.prototype, operation, {
          value,
          writable: true,
          configurable: true,
        });
      }
    }
  }
  return WithOperations as unknown as new (
    send: Send,
  ) => Operations;
}
