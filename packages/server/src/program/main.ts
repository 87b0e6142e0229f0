// The server program: reads settings, and runs the server in this process or in several (docs/decisions/scaling.md).

import { checkDataFolder } from '../checks/data-folder.ts';
import { checkListeners, checkTls } from '../checks/listeners.ts';
import { type Config, readConfig } from '../config/config.ts';
import { withSecretValues } from '../config/setting-reader.ts';
import { readTls } from '../http/listener/listening.ts';
import { requirePassed } from '../runtime/check-result.ts';
import { systemClock } from '../runtime/clock.ts';
import type { OpenLog } from '../runtime/log.ts';
import { currentParent, watchParent } from '../runtime/parent-process.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { isWorker } from '../workers/worker-mark.ts';
import { buildConsole, builtConsole } from './console-bundle.ts';
import { endLog, isOnTerminal, refuse, stopOnSignal } from './process-end.ts';
import { openProgramLog } from './program-log.ts';
import { closeToOthers, makeSecrets } from './server-secrets.ts';
import { type Environment, runService, type Service } from './service.ts';
import { connectionOf } from './store-access.ts';
import { welcome } from './welcome.ts';

/** Values of npm_lifecycle_event for npm start and npx, which keep the server in the foreground. */
const npmStarts: ReadonlySet<string | undefined> = new Set(['start', 'npx']);

/** The program without commands; `--demo` builds the console, and sets OPENTILL_DEMO=true unless the variable is set. */
export async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const unknown = args.filter((arg) => arg !== '--demo');
  if (unknown.length > 0) {
    refuse(
      new StartProblem(
        `Unknown argument ${unknown.join(' ')}: expected --demo or none. Settings are environment variables.`,
      ),
    );
    return;
  }
  // The demo is for the sandbox only: the same command starts without it in production.
  const buildsConsole = args.includes('--demo');
  const wantsDemo = buildsConsole && env['OPENTILL_ENVIRONMENT'] !== 'production';
  await serve(wantsDemo ? { ...env, OPENTILL_DEMO: env['OPENTILL_DEMO'] || 'true' } : env, { buildsConsole });
}

/** Runs a server, or one of its processes; a signal stops it. */
export async function serve(env: Environment, { buildsConsole = false } = {}): Promise<void> {
  if (isWorker(env)) {
    const { runWorker } = await import('../workers/worker.ts');
    runWorker({ buildsConsole });
    return;
  }
  const parent = currentParent();
  let open: OpenLog | undefined;
  try {
    const values = withSecretValues(env);
    const config = readConfig(values);
    const { hasColors, ...log } = openProgramLog(config);
    open = log;
    const text = await start(config, { ...open, parent, env, values, buildsConsole });
    open.print(welcome({ ...text, config, hasColors }));
  } catch (error) {
    if (error instanceof StartProblem) refuse(error);
    if (open !== undefined) await endLog(open);
    if (!(error instanceof StartProblem)) throw error;
  }
}

interface Starting extends Pick<OpenLog, 'log' | 'close'> {
  readonly parent: number;
  readonly buildsConsole: boolean;
  readonly env: Environment;
  /** `env` with the values of secret files. */
  readonly values: Environment;
}

/** Starts the server, which stops on a signal, and returns what the welcome shows. */
async function start(config: Config, { log, close, parent, env, values, buildsConsole }: Starting) {
  await using starting = new AsyncDisposableStack();
  await closeToOthers(config.dataFolder, log);
  requirePassed([await checkDataFolder(config)]);
  const keys = await makeSecrets(config);
  const console = buildsConsole && config.servesConsole ? buildConsole() : builtConsole;
  // Loaded while PostgreSQL starts in its own process: a start that failed earlier does not need it.
  const loading = config.workers === 1 ? import('./server.ts') : import('../workers/run-workers.ts');
  const [connection] = await Promise.all([connectionOf(config, starting), loading]);
  requirePassed([
    ...(await checkListeners(config, { mayRun: false })),
    await checkTls(config, systemClock.now()),
  ]);
  if (config.databaseWarning !== undefined) log.warn(config.databaseWarning);
  if (!config.runsJobs)
    log.warn('OPENTILL_JOBS is off: this server neither charges nor delivers nor cleans up');
  const run = config.workers === 1 ? runService : (await import('../workers/run-workers.ts')).runWorkers;
  const secrets = { env: values, keys, tls: await readTls(config.tlsFiles) };
  const service = await run(config, { env, secrets, connection, console, log }, starting);
  // Signals are handled before the welcome is printed: its reader may stop the server at once.
  const stop = stopOnSignal(starting.move(), { log, close, skips: isOnTerminal() ? [] : ['SIGHUP'] });
  if (!isOnTerminal()) reloadOnSignal(service);
  void service.failed?.then((problem) => {
    refuse(problem);
    stop();
  });
  // npm does not forward signals: it ends the shell between itself and the server.
  if (npmStarts.has(env['npm_lifecycle_event'])) {
    watchParent(parent, () => {
      log.info('parent process exited; shutting down');
      stop();
    });
  }
  return { ...service.started, adminKey: keys.adminKey };
}

/** Each reload waits for the one before. */
function reloadOnSignal({ reload }: Service): void {
  let reloading = Promise.resolve();
  process.on('SIGHUP', () => {
    reloading = reloading.then(reload);
  });
}
