// The server process: reads settings, starts the server, and shuts down cleanly.

import { isatty } from 'node:tty';
import closeWithGrace from 'close-with-grace';
import { checkDataFolder } from './checks/data-folder.ts';
import { checkListeners, checkTls } from './checks/listeners.ts';
import { type Config, readConfig } from './config.ts';
import { buildConsole, builtConsole } from './console-bundle.ts';
import { createStartLink, printsConsoleLink } from './console-link.ts';
import { makeDemo } from './demo.ts';
import { parseTokenKeys, type TokenKeys } from './domain/tokens/access-token.ts';
import { requirePassed } from './runtime/check-result.ts';
import { systemClock } from './runtime/clock.ts';
import { type Log, type OpenLog, openLog } from './runtime/log.ts';
import { currentParent, watchParent } from './runtime/parent-process.ts';
import { secureRandomness } from './runtime/randomness.ts';
import { StartProblem } from './runtime/start-problem.ts';
import { closeSecretFiles, makeDataFolder, secretFile } from './secret-files.ts';
import { isOperatorKey, operatorKeyExpected } from './secret-settings.ts';
import type { RunningServer } from './server.ts';
import { connectionOf } from './store-access.ts';
import { welcome } from './welcome.ts';

/** A shutdown waits this long for requests in flight, each of which is answered within 3 seconds. */
const stopWithinMs = 10_000;

/** Values of npm_lifecycle_event for npm start and npx, which keep the server in the foreground. */
const npmStarts: ReadonlySet<string | undefined> = new Set(['start', 'npx']);

const keyBytes = 32;
const stdin = 0;
const stdout = 1;

/** The program without commands; `--demo` builds the console, and sets OPENTILL_DEMO=true unless the variable is set. */
export async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const unknown = args.filter((arg) => arg !== '--demo');
  if (unknown.length > 0) {
    refuse(
      `Unknown argument ${unknown.join(' ')}: expected --demo or none. Settings are environment variables.`,
    );
    return;
  }
  // The demo is for the sandbox only: the same command starts without it in production.
  const buildsConsole = args.includes('--demo');
  const wantsDemo = buildsConsole && env['OPENTILL_ENVIRONMENT'] !== 'production';
  await serve(wantsDemo ? { ...env, OPENTILL_DEMO: env['OPENTILL_DEMO'] || 'true' } : env, { buildsConsole });
}

/** Runs a server until the process is told to stop. */
export async function serve(
  env: Readonly<Record<string, string | undefined>>,
  { buildsConsole = false } = {},
): Promise<void> {
  const parent = currentParent();
  let open: OpenLog | undefined;
  try {
    const config = readConfig(env);
    const terminal = terminalOf(stdout);
    const format = config.logFormat ?? (terminal.isTerminal ? 'pretty' : 'json');
    open = openLog({ level: config.logLevel, format, hasColors: terminal.hasColors, fd: stdout });
    const text = await start(config, { ...open, parent, env, buildsConsole });
    open.print(welcome({ ...text, hasColors: terminal.hasColors }));
  } catch (error) {
    if (error instanceof StartProblem) refuse(error.message);
    if (open !== undefined) await endLog(open);
    if (!(error instanceof StartProblem)) throw error;
  }
}

function terminalOf(fd: number): { isTerminal: boolean; hasColors: boolean } {
  const isTerminal = isatty(fd);
  // process.stdout is not touched otherwise: it would make a pipe non-blocking.
  return { isTerminal, hasColors: isTerminal && process.stdout.hasColors() };
}

interface Starting extends Pick<OpenLog, 'log' | 'close'> {
  readonly parent: number;
  readonly buildsConsole: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Starts the server, which stops on a signal, and returns what the welcome shows. */
async function start(config: Config, { log, close, parent, env, buildsConsole }: Starting) {
  await using starting = new AsyncDisposableStack();
  await closeToOthers(config.dataFolder, log);
  requirePassed([await checkDataFolder(config)]);
  const secrets = await makeSecrets(config);
  const console = buildsConsole && config.servesConsole ? buildConsole() : builtConsole;
  // Loaded only now, while PostgreSQL starts in its own process: a start that fails earlier does not need it.
  const [connection, { startServer }] = await Promise.all([
    connectionOf(config, starting),
    import('./server.ts'),
  ]);
  requirePassed([
    ...(await checkListeners(config, { mayRun: false })),
    await checkTls(config, systemClock.now()),
  ]);
  const server = starting.use(
    await startServer(config, {
      ...secrets,
      connection,
      clock: systemClock,
      // The bundled PostgreSQL uses the clock of this machine.
      requiresRightClock: config.databaseUrl !== undefined,
      randomness: secureRandomness,
      log,
      console,
    }),
  );
  if (!config.runsJobs)
    log.warn('OPENTILL_JOBS is off: this server neither charges nor delivers nor cleans up');
  const demo = config.makesDemo
    ? await makeDemo(config, { handlers: server.operatorHandlers, now: systemClock.now() })
    : undefined;
  const consolePath = printsConsoleLink(config, secrets.adminKey)
    ? await createStartLink(server.operatorHandlers, systemClock.now())
    : undefined;
  // Signals are handled before the welcome is printed: its reader may stop the server at once.
  const stop = stopOnSignal(starting.move(), { log, close });
  if (!isatty(stdin)) reloadOnSignal(server, { env, log });
  // npm does not forward signals: it ends the shell between itself and the server.
  if (npmStarts.has(env['npm_lifecycle_event'])) {
    watchParent(parent, () => {
      log.info('parent process exited; shutting down');
      stop();
    });
  }
  return { config, server, adminKey: secrets.adminKey, demo, consolePath };
}

/** Kills the process if a write of the log is blocked, because that write would keep it from exiting. */
async function endLog({ close }: Pick<OpenLog, 'close'>): Promise<void> {
  if (!(await close())) endAtOnce();
}

function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL');
}

function refuse(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/** Keys come from the settings; with the bundled PostgreSQL, missing ones are created at the first start. */
async function makeSecrets(config: Config): Promise<{ adminKey: string | undefined; tokenKeys: TokenKeys }> {
  const { adminKey, tokenKeys, databaseUrl } = config;
  if (databaseUrl !== undefined && tokenKeys !== undefined) return { adminKey, tokenKeys };
  await makeDataFolder(config.dataFolder);
  const draw = () => secureRandomness.bytes(keyBytes).toString('base64url');
  return {
    adminKey: adminKey ?? (await adminKeyOf(config.dataFolder, draw)),
    tokenKeys: tokenKeys ?? (await tokenKeysOf(config.dataFolder, draw)),
  };
}

async function closeToOthers(dataFolder: string, log: Log): Promise<void> {
  const { closed, left } = await closeSecretFiles(dataFolder);
  if (closed.length > 0)
    log.warn({ files: closed }, 'secret files were readable by other accounts; their mode is now 0600');
  if (left.length > 0)
    log.warn({ files: left }, 'secret files are readable by other accounts and belong to another user');
}

async function adminKeyOf(folder: string, draw: () => string): Promise<string> {
  const key = await secretFile(folder, 'operator.key', draw);
  if (isOperatorKey(key)) return key;
  throw new StartProblem(`The file operator.key in ${folder}: expected ${operatorKeyExpected}.`);
}

async function tokenKeysOf(folder: string, draw: () => string): Promise<TokenKeys> {
  const keys = parseTokenKeys(await secretFile(folder, 'token.keys', () => `1:${draw()}`));
  if ('problem' in keys) throw new StartProblem(`The file token.keys in ${folder}: ${keys.problem}`);
  return keys;
}

/**
 * Shuts down on Ctrl-C, a signal from the system or an uncaught error, after requests in flight are answered. Returns a
 * function that does the same.
 */
function stopOnSignal(
  running: AsyncDisposableStack,
  { log, close }: Pick<OpenLog, 'log' | 'close'>,
): () => void {
  let stopping: Promise<void> | undefined;
  const kill = { onSecondSignal: endAtOnce, onSecondError: endAtOnce, onTimeout: endAtOnce };
  // A closed terminal sends it; without a terminal it reloads secrets.
  const skip = isatty(stdin) ? [] : ['SIGHUP' as const];
  const grace = closeWithGrace({ delay: stopWithinMs, logger: false, skip, ...kill }, async ({ err }) => {
    if (err !== undefined) log.fatal({ err }, 'uncaught error; shutting down');
    // Disposing of a stack twice does not wait for the first disposal.
    stopping ??= running.disposeAsync().finally(() => endLog({ close }));
    await stopping;
  });
  return () => void grace.close();
}

/** On SIGHUP, replaces secrets and certificates by those in the files that the settings name and in the data folder. */
function reloadOnSignal(
  server: Pick<RunningServer, 'reload'>,
  { env, log }: Pick<Starting, 'env' | 'log'>,
): void {
  const reload = async (): Promise<void> => {
    try {
      const config = readConfig(env);
      const keys = await makeSecrets(config);
      requirePassed([await checkTls(config, systemClock.now())]);
      await server.reload(config, keys);
      log.info('reloaded TLS files, secrets and keys');
    } catch (error) {
      const reason = error instanceof StartProblem ? { problem: error.message } : { err: error };
      log.error(reason, 'not reloaded: the previous TLS files, secrets and keys stay in use');
    }
  };
  let reloading = Promise.resolve();
  process.on('SIGHUP', () => {
    reloading = reloading.then(reload);
  });
}
