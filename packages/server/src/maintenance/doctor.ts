// Checks whether a server would start with these settings and whether the payment gateway
// responds, without changing anything.

import { checkDataFolder } from '../checks/data-folder.ts';
import { checkDatabase } from '../checks/database.ts';
import { checkGateway } from '../checks/gateway.ts';
import { checkListeners, checkTls } from '../checks/listeners.ts';
import {
  type Config,
  type Environ,
  readConfig,
  readStoreConfig,
  type StoreConfig,
} from '../config/config.ts';
import { type CheckResult, failed, ok } from '../runtime/check-result.ts';
import { systemClock } from '../runtime/clock.ts';
import { StartProblem } from '../runtime/start-problem.ts';

/** Yields each result as soon as it is known. */
export async function* checkServer(env: Environ): AsyncGenerator<CheckResult> {
  // An older Node.js is refused before this program is loaded.
  yield ok('Node.js', process.version);
  const settings = read(() => readConfig(env));
  if ('problems' in settings) for (const problem of settings.problems) yield failed('settings', problem);
  else yield ok('settings', `${settings.config.environment} environment`);
  // The store can be checked even if other settings are wrong.
  const store = read(() => readStoreConfig(env));
  if ('config' in store) {
    yield checkDataFolder(store.config);
    yield* await checkDatabase(store.config, systemClock);
  }
  if (!('config' in settings)) return;
  yield* await checkListeners(settings.config, { mayRun: true });
  yield checkTls(settings.config, systemClock.now());
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
