// A sandbox for tests: `@opentill/server/testing`. A whole server on free ports in the process of the test, with
// apps of their own, on the bundled PostgreSQL or a given one (docs/quick-start-tests.md).

import type { SettingName } from '../config/settings.ts';
import { requirePassed } from '../runtime/start-problem.ts';
import { checkMachine } from './machine-check.ts';
import { type Sandbox, startSandboxOn } from './sandbox.ts';
import { makeDatabaseReady, takeDatabase } from './testing-databases.ts';

export type { Sandbox, SandboxApp } from './sandbox.ts';

export interface SandboxOptions {
  /** A PostgreSQL database for sandboxes; without one the bundled PostgreSQL is started, once in a process. */
  readonly databaseUrl?: string | undefined;
  /**
   * Further settings of the server (docs/settings.md), such as `{ OPENTILL_TIME_ZONE: 'Europe/Berlin' }`. Database, data
   * folder, demo app, log, operator keys and token keys are the sandbox's own, which these settings do not change.
   */
  readonly settings?: Readonly<Partial<Record<SettingName, string>>> | undefined;
}

/**
 * Starts a server for tests; the second one of a process takes a fraction of the first one's time.
 * @throws an error whose message says what to fix.
 */
export async function startSandbox({ databaseUrl, settings = {} }: SandboxOptions = {}): Promise<Sandbox> {
  requirePassed([await checkMachine({ databaseUrl })]);
  await using starting = new AsyncDisposableStack();
  const connection =
    databaseUrl === undefined
      ? starting.use(await takeDatabase()).connection
      : { connectionString: databaseUrl };
  // While this server starts, and its tests run.
  if (databaseUrl === undefined) makeDatabaseReady();
  const sandbox = starting.use(await startSandboxOn({ connection, databaseUrl, settings }));
  const running = starting.move();
  const stop = () => running.disposeAsync();
  return { ...sandbox, stop, [Symbol.asyncDispose]: stop };
}
