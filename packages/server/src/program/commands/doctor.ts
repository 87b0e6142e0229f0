// Checks whether a server would start with these settings and whether the payment gateway responds, without changing
// anything.

import {
  type Config,
  type Environ,
  readConfig,
  readStoreConfig,
  type StoreConfig,
} from '../../config/config.ts';
import { howToBuild, isBuilt } from '../../http/pages/built-files.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { type CheckResult, failed, ok, StartProblem, skipped, warning } from '../../runtime/start-problem.ts';
import { databaseChecks, nodeChecks } from '../../store/schema/database-checks.ts';
import { builtFiles } from '../console.ts';
import { checkDataFolder, checkListeners, checkTls, fetchStatus } from './checks.ts';
import { checkMachine } from './machine-check.ts';
import { isStoreThere, storeConnectionOf } from './store-access.ts';

/** Yields each result as soon as it is known. */
export async function* checkServer(env: Environ): AsyncGenerator<CheckResult> {
  // An older Node.js is refused before this program is loaded.
  yield ok('Node.js', process.version);
  const settings = read(() => readConfig(env));
  if ('problems' in settings) for (const problem of settings.problems) yield failed('settings', problem);
  else yield ok('settings', `${settings.config.environment} environment`);
  yield await checkBuilt();
  // The store can be checked even if other settings are wrong.
  const store = read(() => readStoreConfig(env));
  if ('config' in store) {
    yield checkMachine(store.config);
    yield checkDataFolder(store.config);
    yield* await checkDatabase(store.config, systemClock);
  }
  if (!('config' in settings)) return;
  yield* await checkListeners(settings.config, { mayRun: true });
  yield checkTls(settings.config, systemClock.now());
  yield checkGateway(settings.config);
}

/** A package contains them; a checkout may be installed without scripts. */
async function checkBuilt(): Promise<CheckResult> {
  const name = 'console and reference';
  return (await isBuilt(builtFiles)) ? ok(name, 'built') : warning(name, `not built: ${howToBuild}`);
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

const respondWithinMs = 5_000;

/** Sends a HEAD request, which charges nothing. A start does not require it: reads and consumes work without the gateway. */
export async function checkGateway({ environment, paymentGateway }: Config): Promise<CheckResult> {
  const name = 'payment gateway';
  if (environment === 'sandbox') return skipped(name, 'not used in the sandbox');
  if (paymentGateway === undefined) return warning(name, 'none: subscription products are rejected');
  const { origin } = new URL(paymentGateway.url);
  try {
    const status = await fetchStatus(paymentGateway.url, {
      method: 'HEAD',
      withinMs: respondWithinMs,
      verifiesCertificate: true,
    });
    return ok(name, `${origin} responds (${status} to HEAD)`);
  } catch (error) {
    return failed(name, `${origin} does not respond: ${(error as Error).message}`);
  }
}

/** Checks the database of the settings without starting a server. */
export async function checkDatabase(config: StoreConfig, clock: Clock): Promise<CheckResult[]> {
  await using owner = new AsyncDisposableStack();
  try {
    if (!(await isStoreThere(config))) {
      const detail = `none: DATABASE_URL is not set, and a start creates a bundled one in ${config.dataFolder}`;
      return [
        config.environment === 'production' ? warning('database', detail) : skipped('database', detail),
      ];
    }
    const connection = await storeConnectionOf(config, { owner, mayMake: false });
    const { databaseWarning } = config;
    const protection = databaseWarning === undefined ? [] : [warning('database connection', databaseWarning)];
    const results = (await databaseChecks(connection, { environment: config.environment, clock })).map(
      (result) =>
        result.name === 'database' && result.verdict === 'ok'
          ? ok('database', `${result.detail}, ${placeOf(config)}`)
          : result,
    );
    return results.some(({ verdict }) => verdict === 'failed')
      ? [...protection, ...results]
      : [...protection, ...results, ...(await nodeChecks(connection))];
  } catch (error) {
    if (error instanceof StartProblem) return [failed('database', error.message)];
    throw error;
  }
}

/** The database without its account and password. */
function placeOf({ databaseUrl, dataFolder }: StoreConfig): string {
  if (databaseUrl === undefined) return `bundled, in ${dataFolder}`;
  return `of DATABASE_URL, ${databaseUrl.replace(/^\w+:\/\/(?:[^@]*@)?/, '').replace(/\?.*$/s, '')}`;
}
