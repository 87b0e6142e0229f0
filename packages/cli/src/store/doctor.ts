// Checks whether a server would start with these settings: the checks of a start, and the payment gateway. Changes
// nothing.

import { checkDataFolder } from '@opentill/server/checks/data-folder.ts';
import { checkDatabase } from '@opentill/server/checks/database.ts';
import { checkGateway } from '@opentill/server/checks/gateway.ts';
import { checkListeners, checkTls } from '@opentill/server/checks/listeners.ts';
import { type Config, readConfig, readStoreConfig, type StoreConfig } from '@opentill/server/config.ts';
import { type CheckResult, failed, ok } from '@opentill/server/runtime/check-result.ts';
import type { Clock } from '@opentill/server/runtime/clock.ts';
import { StartProblem } from '@opentill/server/runtime/start-problem.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Yields each result as soon as it is known. */
export async function* doctor(
  env: Env,
  { clock, nodeVersion }: { readonly clock: Clock; readonly nodeVersion: string },
): AsyncGenerator<CheckResult> {
  // An older Node.js is refused before this program is loaded.
  yield ok('Node.js', nodeVersion);
  const settings = read(() => readConfig(env));
  if ('problems' in settings) for (const problem of settings.problems) yield failed('settings', problem);
  else yield ok('settings', `${settings.config.environment} environment`);
  // The store can be checked even if other settings are wrong.
  const store = read(() => readStoreConfig(env));
  if ('config' in store) {
    yield checkDataFolder(store.config);
    yield* await checkDatabase(store.config, clock);
  }
  if (!('config' in settings)) return;
  yield* await checkListeners(settings.config, { mayRun: true });
  yield checkTls(settings.config, clock.now());
  yield checkGateway(settings.config);
}

function read<Value extends Config | StoreConfig>(
  reading: () => Value,
): { readonly config: Value } | { readonly problems: readonly string[] } {
  try {
    return { config: reading() };
  } catch (error) {
    if (error instanceof StartProblem) return { problems: error.message.split('\n') };
    throw error;
  }
}
