// Looks whether a server would run with these settings, and says of each thing that it needs how it stands.
// Nothing is changed.

import { type Config, readConfig, readStoreConfig, type StoreConfig } from '../config.ts';
import type { Clock } from '../runtime/clock.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { type CheckResult, failed, ok } from './checks/check-result.ts';
import { checkDatabase } from './checks/database.ts';
import { checkGateway } from './checks/gateway.ts';
import { checkPorts, checkTls } from './checks/listeners.ts';
import { checkDataFolder, checkNode } from './checks/machine.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The results, one after the other as they are found. */
export async function* doctor(
  env: Env,
  { clock, nodeVersion }: { readonly clock: Clock; readonly nodeVersion: string },
): AsyncGenerator<CheckResult> {
  yield checkNode(nodeVersion);
  const settings = read(() => readConfig(env));
  if ('problems' in settings) for (const problem of settings.problems) yield failed('settings', problem);
  else yield ok('settings', `${settings.config.environment} environment`);
  // What is wrong with the rest says nothing of the store.
  const store = read(() => readStoreConfig(env));
  if ('config' in store) {
    yield checkDataFolder(store.config);
    yield* await checkDatabase(store.config, clock);
  }
  if (!('config' in settings)) return;
  yield* await checkPorts(settings.config);
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
