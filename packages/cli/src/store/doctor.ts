// The doctor command: checks whether a server would start with these settings and whether the payment gateway
// responds, without changing anything.

import { checkDataFolder } from '@opentill/server/checks/data-folder.ts';
import { checkDatabase } from '@opentill/server/checks/database.ts';
import { checkGateway } from '@opentill/server/checks/gateway.ts';
import { checkListeners, checkTls } from '@opentill/server/checks/listeners.ts';
import { type Config, readConfig, readStoreConfig, type StoreConfig } from '@opentill/server/config.ts';
import { type CheckResult, failed, ok } from '@opentill/server/runtime/check-result.ts';
import { systemClock } from '@opentill/server/runtime/clock.ts';
import { StartProblem } from '@opentill/server/runtime/start-problem.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Output } from '../terminal/output.ts';

type Env = Surroundings['env'];

/** Prints each result as soon as it is known, and returns whether no check failed. */
export async function runDoctor(env: Env, output: Output): Promise<boolean> {
  const results: CheckResult[] = [];
  for await (const result of checkAll(env)) {
    results.push(result);
    if (!output.isJson) {
      output.entry(result, {
        verdict: ({ verdict }) => verdict,
        name: ({ name }) => name,
        detail: ({ detail }) => detail,
      });
    }
  }
  if (output.isJson) await output.list(results, {});
  return results.every(({ verdict }) => verdict !== 'failed');
}

async function* checkAll(env: Env): AsyncGenerator<CheckResult> {
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
