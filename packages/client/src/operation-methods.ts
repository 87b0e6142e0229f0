// A class whose methods are the operations of a table, each a line such as `GET /operator/v1/apps/:packageName`.

import { fillPath, queryOf, type Values } from './base-url.ts';
import type { CallOptions } from './call-options.ts';
import type { Call } from './connection.ts';

/** A call as its operation describes it, before anybody has authorised it. */
export type PlainCall = CallOptions & Pick<Call, 'operation' | 'method' | 'path' | 'body' | 'repeat'>;

type Send = (call: PlainCall) => Promise<unknown>;

/** HTTP promises of these that repeating them changes nothing more. */
const repeatable = /^(?:GET|PUT|DELETE)$/;

/** These have a body even if there is nothing in it. */
const replaces = /^P(?:UT|ATCH)$/;

/** What stays of the parameters when the path has taken its own goes into the query of a GET, else into the body. */
export function plainCall(
  operation: string,
  line: string,
  parameters: Values,
  options: CallOptions,
): PlainCall {
  const method = line.slice(0, line.indexOf(' '));
  const { path, rest } = fillPath(operation, line, parameters);
  const common = { ...options, operation, method };
  if (method === 'GET') return { ...common, path: path + queryOf(rest), repeat: 'any' };
  // A body that is a list stands under the last word of its path.
  const list = rest[path.slice(path.lastIndexOf('/') + 1)];
  const body = Array.isArray(list) ? list : rest;
  return {
    ...common,
    path,
    repeat: repeatable.test(method) ? 'any' : 'unbegun',
    body: replaces.test(method) || Object.keys(rest).length > 0 ? JSON.stringify(body) : undefined,
  };
}

/** `Operations` says what the methods take and give. `timeoutsMs`: of those that take longer than others. */
export function operationMethods<Operations>(
  lines: Readonly<Record<string, string>>,
  timeoutsMs: Readonly<Record<string, number>>,
): new (
  send: Send,
) => Operations {
  class WithOperations {
    readonly #send: Send;

    constructor(send: Send) {
      this.#send = send;
    }

    static {
      for (const [operation, line] of Object.entries(lines)) {
        const value = async function (
          this: WithOperations,
          parameters: Values = {},
          options: CallOptions = {},
        ) {
          const call = plainCall(operation, line, parameters, options);
          return this.#send({ ...call, timeoutMs: options.timeoutMs ?? timeoutsMs[operation] });
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
