// The client of the operator API (docs/client.md).

import type { CallOptions } from './call-options.ts';
import { Connection, type ConnectionOptions, visibleAscii } from './connection.ts';
import type { OperatorOperations } from './contract-types.ts';
import { operatorCalls } from './operation-calls.ts';
import { operationMethods } from './operation-methods.ts';
import { followStore, type StoreFollow } from './store-walk.ts';
import type { Timing } from './timing.ts';

export type { CallOptions } from './call-options.ts';
export type { ConnectionOptions } from './connection.ts';
export type * from './contract-types.ts';
export { OpenTillError } from './opentill-error.ts';
export { eachPage } from './pages.ts';
export type { Fetch } from './runtime-fetch.ts';
export type { StoreFollow, StoreGap, StorePosition, StoreStep } from './store-walk.ts';

const OperatorCalls = operationMethods<OperatorOperations>(operatorCalls);

const jsonType = { 'content-type': 'application/json' };

/** The server and the key of an OperatorClient. */
export interface OperatorClientOptions extends ConnectionOptions {
  /** An operator key; its role determines which calls are allowed. */
  readonly operatorKey: string;
}

/** Has one method for each operation of the operator API; a failed call throws OpenTillError with `problem`. */
export class OperatorClient extends OperatorCalls {
  readonly #timing: Timing;

  /** @throws TypeError for an invalid host or key */
  constructor({ operatorKey, ...options }: OperatorClientOptions) {
    const connection = new Connection(options);
    if (!visibleAscii.test(operatorKey)) {
      throw new TypeError('operatorKey: expected visible ASCII characters without spaces or line breaks');
    }
    const authorization = `Bearer ${operatorKey}`;
    super((call) =>
      connection.send(call, {
        headers: { authorization, ...(call.body !== undefined && jsonType) },
        secrets: [operatorKey],
      }),
    );
    this.#timing = connection.timing;
  }

  /**
   * Passes the events of all apps since `since` to `save`, app by app and page by page, with the position to continue from.
   * Polls every second until the signal is aborted or a call fails: then start it again from the last position.
   */
  followStore(follow: StoreFollow, options: CallOptions = {}): Promise<never> {
    return followStore(follow, { operator: this, timing: this.#timing, options });
  }
}

/** The same for a page of the operator listener, whose browser sends the cookie of a session. */
export class SessionClient extends OperatorCalls {
  constructor(options: ConnectionOptions) {
    const connection = new Connection(options);
    // A call by cookie needs a media type that a form cannot send, even without a body.
    super((call) => connection.send(call, { headers: call.method === 'GET' ? {} : jsonType, secrets: [] }));
  }
}
