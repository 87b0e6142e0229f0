// Creates a class with a method for each operation of a table of lines such as `GET /operator/v1/apps/:packageName`.

import { fillPath, pathForm, queryOf, type Values } from './base-url.ts';
import type { CallOptions } from './call-options.ts';
import type { Call } from './connection.ts';

type Send = (call: Call, parameters: Values) => Promise<unknown>;

/** The idempotent methods of HTTP. */
const idempotent = /^(?:GET|PUT|DELETE)$/;

/** Methods that always have a body, even an empty object. */
const withBody = /^P(?:UT|ATCH)$/;

/** Builds a call: parameters that are not in the path go into the query of a GET, or else into the body. */
export function callOf(
  operation: string,
  line: string,
  parameters: Values,
  { signal, timeoutMs }: CallOptions,
): Call {
  const form = pathForm(line);
  const { method } = form;
  const path = fillPath(operation, form, parameters);
  const rest = Object.entries(parameters).filter(([name]) =>
    form.values.every((value) => value.name !== name),
  );
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

/** `Operations` is the type of the methods; `timeoutsMs` has the timeouts of operations that take longer than others. */
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
          const call = callOf(operation, line, parameters, options);
          return this.#send({ ...call, timeoutMs: call.timeoutMs ?? timeoutsMs[operation] }, parameters);
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
