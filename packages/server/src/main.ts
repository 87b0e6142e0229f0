// The process: settings in, one line for what is wrong, a server, a clean end.

import closeWithGrace from 'close-with-grace';
import { connectionOf } from './cli/store-access.ts';
import { type Config, isOperatorKey, operatorKeyExpected, readConfig } from './config.ts';
import { makeDemo } from './demo.ts';
import { parseTokenKeys, type TokenKeys } from './domain/access-token.ts';
import { systemClock } from './runtime/clock.ts';
import { type Log, type OpenLog, openLog } from './runtime/log.ts';
import { currentParent, watchParent } from './runtime/parent-process.ts';
import { secureRandomness } from './runtime/randomness.ts';
import { StartProblem } from './runtime/start-problem.ts';
import { closeSecretFiles, makeDataFolder, secretFile } from './secret-files.ts';
import { welcome } from './welcome.ts';

/** A stop waits this long for what is in flight; every call is answered within 3 seconds. */
const stopWithinMs = 10_000;

/** What npm says that it does, by npm start and by npx: these keep the server in front. */
const npmStarts: ReadonlySet<string | undefined> = new Set(['start', 'npx']);

const keyBytes = 32;
const stdout = 1;

/** The program that is a server and nothing else: `--demo` is OPENTILL_DEMO=true where nothing else is set. */
export async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const unknown = args.filter((arg) => arg !== '--demo');
  if (unknown.length > 0) {
    refuse(`Unknown argument ${unknown.join(' ')}: the only one is --demo; settings are variables.`);
    return;
  }
  // A demo is for the sandbox: the same command in production starts without one.
  const wantsDemo = args.includes('--demo') && env['OPENTILL_ENVIRONMENT'] !== 'production';
  await serve(wantsDemo ? { ...env, OPENTILL_DEMO: env['OPENTILL_DEMO'] || 'true' } : env);
}

/** Runs a server until it is told to stop. */
export async function serve(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const parent = currentParent();
  const { log, print, flush } = openLog({ level: 'info', fd: stdout });
  try {
    const config = readConfig(env);
    log.level = config.logLevel;
    await using starting = new AsyncDisposableStack();
    const secrets = await makeSecrets(config, log);
    // What a refused start needs none of is loaded here, while PostgreSQL starts in a process of its own.
    const [connection, { startServer }] = await Promise.all([
      connectionOf(config, starting),
      import('./server.ts'),
    ]);
    const server = starting.use(
      await startServer(config, {
        ...secrets,
        connection,
        clock: systemClock,
        // The bundled PostgreSQL has this machine's own.
        requiresRightClock: config.databaseUrl !== undefined,
        randomness: secureRandomness,
        log,
        runsJobs: true,
      }),
    );
    const demo = config.makesDemo
      ? await makeDemo(config, { handlers: server.operatorHandlers, now: systemClock.now() })
      : undefined;
    // Whoever has read that it is there may end it at once.
    const stop = stopOnSignal(starting.move(), { log, flush });
    // A signal to npm ends the shell that npm has started us by, and that passes none on.
    if (npmStarts.has(env['npm_lifecycle_event'])) {
      watchParent(parent, () => {
        log.info('who has started the server is gone: it stops');
        stop();
      });
    }
    print(welcome({ config, server, adminKey: secrets.adminKey, demo }));
  } catch (error) {
    if (!(error instanceof StartProblem)) {
      await flush();
      throw error;
    }
    refuse(error.message);
    await endLog(flush);
  }
}

/** A write of the log that nobody reads keeps the process, however else it is left. */
async function endLog(flush: OpenLog['flush']): Promise<void> {
  if (!(await flush())) endAtOnce();
}

function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL');
}

function refuse(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/** Given by the settings; with the bundled PostgreSQL, made at the first start where they are not. */
async function makeSecrets(
  config: Config,
  log: Log,
): Promise<{ adminKey: string | undefined; tokenKeys: TokenKeys }> {
  const { adminKey, tokenKeys, databaseUrl } = config;
  await closeToOthers(config.dataFolder, log);
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
    log.warn({ files: closed }, 'secret files that others could read were closed to them');
  if (left.length > 0)
    log.warn({ files: left }, 'others can read secret files, which are not ours to change');
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
 * Ctrl-C, a stop by the machine, or a fault that nobody caught: in each case what is in flight is finished. Gives a
 * function that stops the server as well.
 */
function stopOnSignal(
  running: AsyncDisposableStack,
  { log, flush }: Pick<OpenLog, 'log' | 'flush'>,
): () => void {
  let stopping: Promise<void> | undefined;
  const hurry = { onSecondSignal: endAtOnce, onSecondError: endAtOnce, onTimeout: endAtOnce };
  const { close } = closeWithGrace({ delay: stopWithinMs, logger: false, ...hurry }, async ({ err }) => {
    if (err !== undefined) log.fatal({ err }, 'the server stops because of a fault');
    // A stack that is being disposed of does not say when it is done.
    stopping ??= running.disposeAsync().finally(() => endLog(flush));
    await stopping;
  });
  return () => void close();
}
