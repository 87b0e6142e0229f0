// The client of the sandbox API for a developer's tests (docs/sandbox.md).

import { AppConnection, type AppOptions } from './app-connection.ts';
import type { SandboxOperations } from './contract-types.ts';
import { sandboxCalls } from './operation-calls.ts';
import { operationMethods } from './operation-methods.ts';

export type { AppOptions } from './app-connection.ts';
export type { CallOptions } from './call-options.ts';
export type { ConnectionOptions } from './connection.ts';
export type * from './contract-types.ts';
export { OpenTillError } from './opentill-error.ts';
export { eachPage } from './pages.ts';
export type { Fetch } from './runtime-fetch.ts';

/** Has one method for each operation of the sandbox API; a failed call throws OpenTillError with `problem`. */
export class SandboxClient extends operationMethods<SandboxOperations>(sandboxCalls) {
  /** @throws TypeError for an invalid host or credentials */
  constructor(options: AppOptions) {
    const app = new AppConnection(options);
    super((call) => app.send(call));
  }
}
