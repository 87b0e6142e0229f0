// Runs a command with a sandbox of its own, on free ports and an empty database, which end with the command.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Environ } from '../../config/config.ts';
import { commandVariables, execVariable, settingNames } from '../../config/settings.ts';
import { signalProcess } from '../../embedded/postmaster.ts';
import { startTemporaryPostgres } from '../../embedded/temporary-postgres.ts';
import { currentParent, limitTime, watchParent } from '../../runtime/pause.ts';
import { explainSystemError, requirePassed } from '../../runtime/start-problem.ts';
import { isOnTerminal } from '../process-end.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { checkMachine } from './machine-check.ts';

/** As long as a container has by default before it is killed. */
const killAfterMs = 10_000;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Signal = (typeof signals)[number];

const signalBase = 128;

/** The app of a sandbox without a seed. */
const packageNameOfCommand = 'com.example.app';

type Command = readonly [string, ...string[]];

interface ExecOptions {
  readonly env: Environ;
  /** The export of a sandbox. */
  readonly seed: string | undefined;
}

/**
 * Returns the exit code of the command, or 128 and the number of the signal that ended it.
 * @throws StartProblem if the sandbox or the command cannot start.
 */
export async function execute(command: Command, { env, seed }: ExecOptions): Promise<number> {
  const starting = new AbortController();
  const { signal } = starting;
  let pass = (received: Signal) => starting.abort(received);
  for (const name of signals) process.on(name, () => pass(name));
  // npm does not forward signals: it ends the shell between itself and this process.
  if (env['npm_lifecycle_event'] !== undefined) watchParent(currentParent(), () => pass('SIGTERM'));
  try {
    requirePassed([await checkMachine({ databaseUrl: undefined })]);
    await using stack = new AsyncDisposableStack();
    const [{ connection }, { startSandboxOn }] = await Promise.all([
      startTemporaryPostgres().then((postgres) => stack.use(postgres)),
      import('../sandbox/sandbox.ts'),
    ]);
    if (seed !== undefined) {
      const { importSeed } = await import('./transfer.ts');
      await importSeed(connection, { file: seed, signal });
    }
    const sandbox = stack.use(await startSandboxOn(connection));
    const variables = await variablesOf(sandbox);
    signal.throwIfAborted();
    const running = run(command, { ...withoutSettings(env), ...variables, [execVariable]: '1' });
    pass = running.pass;
    return await running.code;
  } catch (error) {
    if (signal.aborted) return signalBase + constants.signals[signal.reason as Signal];
    throw error;
  }
}

/** The names of a server's and of the command line's own variables. DATABASE_URL is usually that of the tested backend. */
const ownVariables: ReadonlySet<string> = new Set(
  [...settingNames, ...commandVariables].filter((name) => name.startsWith('OPENTILL_')),
);

/** They would be those of another server than the sandbox. */
function withoutSettings(env: Environ): Environ {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ownVariables.has(name)));
}

/** The address and an app of the sandbox: the first app of the seed, or a new one. */
async function variablesOf({ host, operatorHost, operatorKey, operator }: Sandbox) {
  const [seeded] = (await operator.listApps({ pageSize: 1 })).apps;
  const app =
    seeded === undefined
      ? await operator.createApp({ packageName: packageNameOfCommand })
      : { ...seeded, ...(await operator.rotateClientSecret({ packageName: seeded.packageName })) };
  return {
    STORE_URL: host,
    CLIENT_ID: app.clientId,
    CLIENT_SECRET: app.clientSecret,
    PACKAGE_NAME: app.packageName,
    OPENTILL_OPERATOR_URL: operatorHost,
    OPENTILL_OPERATOR_KEY: operatorKey,
  };
}

/**
 * Starts the command. On a terminal, it stays in the process group that Ctrl-C reaches; otherwise it gets its own, so
 * that all of its processes can be signalled.
 */
function run([file, ...args]: Command, env: Environ) {
  const isAlone = !isOnTerminal() && process.platform !== 'win32';
  const child = spawn(file, args, { env, stdio: 'inherit', detached: isAlone });
  const send = (signal: NodeJS.Signals) =>
    isAlone ? signalProcess(-Number(child.pid), signal) : child.kill(signal);
  let isKilledLater = false;
  const pass = (signal: Signal) => {
    if (signal === 'SIGINT' && !isAlone) return;
    send(signal);
    if (signal === 'SIGINT' || isKilledLater) return;
    isKilledLater = true;
    limitTime(killAfterMs, () => send('SIGKILL'));
  };
  const code = explainSystemError(`cannot run ${file}`, async () => {
    const [exitCode, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals];
    return exitCode ?? signalBase + constants.signals[signal];
  });
  return { pass, code };
}
