// The client of the developer API, for what a developer does without the store, and for tests (docs/developer-api.md).

import { AppConnection, type AppOptions } from './app-connection.ts';
import type { DeveloperOperations } from './contract-types.ts';
import { developerCalls } from './operation-calls.ts';
import { operationMethods } from './operation-methods.ts';

export type { AppOptions } from './app-connection.ts';
export type { CallOptions } from './call-options.ts';
export type { ConnectionOptions } from './connection.ts';
export type * from './contract-types.ts';
export { OpenTillError } from './opentill-error.ts';
export { eachPage } from './pages.ts';
export type { Fetch } from './runtime-fetch.ts';

/** Has one method for each operation of the developer API; a failed call throws OpenTillError with `problem`. */
export class DeveloperClient extends operationMethods<DeveloperOperations>(developerCalls) {
  /** @throws TypeError for an invalid host or credentials */
  constructor(options: AppOptions) {
    const app = new AppConnection(options);
    super((call) => app.send(call, developerCalls[call.operation as keyof DeveloperOperations]));
  }
}
