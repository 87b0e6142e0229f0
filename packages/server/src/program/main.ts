// The server program: reads settings, starts the server, and stops or reloads it on a signal.

import { type Config, type Environ, readConfig } from '../config/config.ts';
import { readTls } from '../http/listener/tls-files.ts';
import { isBuilt } from '../http/pages/built-files.ts';
import { logAlert } from '../runtime/alert-lines.ts';
import { systemClock } from '../runtime/clock.ts';
import type { OpenLog } from '../runtime/log.ts';
import { currentParent, watchParent } from '../runtime/pause.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { requirePassed, StartProblem } from '../runtime/start-problem.ts';
import { checkDataFolder, checkListeners, checkTls } from './commands/checks.ts';
import { checkMachine } from './commands/machine-check.ts';
import { databaseOf } from './commands/store-access.ts';
import { buildFiles, builtFiles, createStartLink, printsConsoleLink } from './console.ts';
import {
  drainMs,
  endLog,
  isOnTerminal,
  isReplaceable,
  openProgramLog,
  refuse,
  stopOnSignal,
} from './process-end.ts';
import { type Demo, makeDemo } from './sandbox/demo.ts';
import type { RunningServer } from './server.ts';
import { closeToOthers, makeSecrets } from './server-secrets.ts';
import { welcome } from './welcome.ts';

/** Values of npm_lifecycle_event for npm start and npx, which keep the server in the foreground. */
const npmStarts: ReadonlySet<string | undefined> = new Set(['start', 'npx']);

/** The program without commands. */
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
  await serve(env, { wantsDemo: args.includes('--demo') });
}

interface ServeOptions {
  readonly wantsDemo: boolean;
  /** The export of a sandbox, for a store that nobody has used. */
  readonly seed?: string | undefined;
}

/** Runs a server; a signal stops it. */
export async function serve(env: Environ, { wantsDemo, seed }: ServeOptions): Promise<void> {
  const parent = currentParent();
  let open: OpenLog | undefined;
  try {
    const config = readConfig(env, { wantsDemo });
    if (seed !== undefined && config.environment !== 'sandbox')
      throw new StartProblem(`--seed: expected the sandbox environment, got ${config.environment}.`);
    const { hasColors, ...log } = openProgramLog(config.logLevel);
    open = log;
    const text = await start(config, { ...open, parent, env, seed });
    open.print(welcome({ ...text, config, hasColors }));
  } catch (error) {
    if (error instanceof StartProblem) refuse(error);
    if (open !== undefined) await endLog(open);
    if (!(error instanceof StartProblem)) throw error;
  }
}

interface Starting extends Pick<OpenLog, 'log' | 'logCall' | 'close'> {
  readonly parent: number;
  readonly env: Environ;
  readonly seed: string | undefined;
}

/** Starts the server, which stops on a signal, and returns what the welcome shows. */
async function start(config: Config, { log, logCall, close, parent, env, seed }: Starting) {
  await using starting = new AsyncDisposableStack();
  await closeToOthers(config.dataFolder, log);
  requirePassed([
    await checkMachine(config),
    await checkDataFolder(config),
    ...(await checkListeners(config, { mayRun: false })),
    await checkTls(config, systemClock.now()),
  ]);
  const keys = await makeSecrets(config);
  const built = env['npm_lifecycle_event'] === 'start' ? buildFiles() : builtFiles;
  // Loaded while PostgreSQL starts in its own process: a start that failed earlier does not need it.
  const [{ connection, elsewhere, ended }, { startServer }] = await Promise.all([
    databaseOf(config, starting),
    import('./server.ts'),
  ]);
  if (seed !== undefined) {
    const { importSeed } = await import('./commands/transfer.ts');
    await importSeed(connection, { file: seed, signal: new AbortController().signal });
  }
  if (config.databaseWarning !== undefined) log.warn(config.databaseWarning);
  if (!config.runsJobs)
    log.warn('OPENTILL_JOBS is off: this server neither charges nor delivers nor cleans up');
  let demo: Demo | undefined;
  const server = starting.use(
    await startServer(config, {
      ...keys,
      ...{ connection, built, log, logCall },
      tls: await readTls(config.tlsFiles),
      clock: systemClock,
      randomness: secureRandomness,
      async beforeListening(server) {
        if (config.makesDemo) demo = await makeDemo(config, server);
      },
    }),
  );
  const { publicUrl, operatorUrl, operatorHandlers } = server;
  const consolePath = printsConsoleLink(config, keys.adminKey)
    ? await createStartLink(operatorHandlers, systemClock.now())
    : undefined;
  // Signals are handled before the welcome is printed: its reader may stop the server at once.
  const stop = stopOnSignal(starting.move(), {
    ...{ log, close, skips: isOnTerminal() ? [] : ['SIGHUP'] },
    drain: isReplaceable(config) ? () => server.drain(drainMs) : undefined,
  });
  void ended?.then(() => {
    logAlert(log, 'databaseEnded', {});
    process.exitCode = 1;
    stop();
  });
  if (!isOnTerminal()) process.on('SIGHUP', () => void reloadTls(server, { config, log }));
  // npm does not forward signals: it ends the shell between itself and the server.
  if (npmStarts.has(env['npm_lifecycle_event'])) {
    watchParent(parent, () => {
      log.info('parent process exited; shutting down');
      stop();
    });
  }
  const isComplete = built.isBuilding() || (await isBuilt(built));
  return { publicUrl, operatorUrl, elsewhere, demo, consolePath, isComplete, adminKey: keys.adminKey };
}

/** Replaces the certificate by that in the files of the settings, and logs whether it did. */
async function reloadTls(
  server: RunningServer,
  { config, log }: Pick<OpenLog, 'log'> & { readonly config: Config },
): Promise<void> {
  try {
    requirePassed([await checkTls(config, systemClock.now())]);
    const tls = await readTls(config.tlsFiles);
    if (tls !== undefined) server.useTls(tls);
    log.info(tls === undefined ? 'SIGHUP: there are no TLS files to reload' : 'reloaded the TLS files');
  } catch (error) {
    logAlert(log, 'notReloaded', error instanceof StartProblem ? { problem: error.message } : { err: error });
  }
}
