// A class whose methods are the operations of a table, each a line such as `GET /operator/v1/apps/:packageName`.

import { fillPath, pathForm, queryOf, type Values } from './base-url.ts';
import type { CallOptions } from './call-options.ts';
import type { Call } from './connection.ts';

type Send = (call: Call) => Promise<unknown>;

/** HTTP promises of these that repeating them changes nothing more. */
const repeatable = /^(?:GET|PUT|DELETE)$/;

/** These have a body even if there is nothing in it. */
const replaces = /^P(?:UT|ATCH)$/;

/** What stays of the parameters when the path has taken its own goes into the query of a GET, else into the body. */
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
    return { operation, method, path: path + queryOf(rest), repeat: 'any', signal, timeoutMs };
  }
  const values = Object.fromEntries(rest);
  // A body that is a list stands under the last word of its path.
  const list = values[path.slice(path.lastIndexOf('/') + 1)];
  const body =
    replaces.test(method) || rest.length > 0
      ? JSON.stringify(Array.isArray(list) ? list : values)
      : undefined;
  const repeat = repeatable.test(method) ? 'any' : 'unbegun';
  return { operation, method, path, body, repeat, signal, timeoutMs };
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
          const call = callOf(operation, line, parameters, options);
          return this.#send({ ...call, timeoutMs: call.timeoutMs ?? timeoutsMs[operation] });
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
