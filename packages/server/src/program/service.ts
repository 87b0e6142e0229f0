// The server of one process, with what the program adds to it: the demo app, the sign-in link, and the reload of secrets.

import { type Config, readConfig } from '../config/config.ts';
import type { ConsoleFiles } from '../http/console/console-files.ts';
import { logAlert } from '../runtime/alert-lines.ts';
import { systemClock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { createStartLink, printsConsoleLink } from './console-link.ts';
import { type Demo, makeDemo } from './demo.ts';
import type { RunningServer } from './server.ts';
import type { ServerOptions } from './server-options.ts';
import { type LoadedSecrets, loadAgain } from './server-secrets.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the welcome shows of a server that serves requests. */
export interface Started extends Pick<RunningServer, 'publicUrl' | 'operatorUrl'> {
  readonly demo: Demo | undefined;
  /** A path of the operator listener that signs in to the console. */
  readonly consolePath: string | undefined;
}

/** A server that the program runs, in one process or in several. */
export interface Service {
  readonly started: Started;
  /** Replaces secrets and certificates, and logs whether it did. */
  reload(): Promise<void>;
  /** Resolves to the reason if the server cannot be kept running. */
  readonly failed?: Promise<StartProblem>;
}

interface Starting extends Pick<ServerOptions, 'connection' | 'log' | 'readMetrics'> {
  readonly secrets: LoadedSecrets;
  readonly console: ConsoleFiles;
}

/** Runs the whole server in this process; it stops with `owner`. */
export async function runService(
  config: Config,
  { env, ...starting }: Starting & { /** Names the files that a reload reads. */ readonly env: Environment },
  owner: AsyncDisposableStack,
): Promise<Service> {
  const { server, demo } = await startServerOf(config, { ...starting, makesDemo: config.makesDemo }, owner);
  const started = await prepareWelcome(config, server, { ...starting.secrets.keys, demo });
  const reload = () =>
    logReload(starting.log, async () => {
      reloadServer(server, await loadAgain(env, config));
    });
  return { started, reload };
}

interface DemoServer {
  readonly server: RunningServer;
  readonly demo: Demo | undefined;
}

/** Starts the server of this process, which stops with `owner`. */
export async function startServerOf(
  config: Config,
  { secrets: { keys, tls }, makesDemo, ...options }: Starting & { readonly makesDemo: boolean },
  owner: AsyncDisposableStack,
): Promise<DemoServer> {
  // Loaded only now: neither a start that failed earlier nor the parent of workers needs it.
  const { startServer } = await import('./server.ts');
  let demo: Demo | undefined;
  const server = owner.use(
    await startServer(config, {
      ...keys,
      ...options,
      tls,
      clock: systemClock,
      randomness: secureRandomness,
      async beforeListening(handlers) {
        if (makesDemo) demo = await makeDemo(config, { handlers, now: systemClock.now() });
      },
    }),
  );
  return { server, demo };
}

/** Creates what the welcome shows in addition to the addresses. */
export async function prepareWelcome(
  config: Config,
  { publicUrl, operatorUrl, operatorHandlers }: RunningServer,
  { adminKey, demo }: Pick<LoadedSecrets['keys'], 'adminKey'> & Pick<DemoServer, 'demo'>,
): Promise<Started> {
  const consolePath = printsConsoleLink(config, adminKey)
    ? await createStartLink(operatorHandlers, systemClock.now())
    : undefined;
  return { publicUrl, operatorUrl, demo, consolePath };
}

export function reloadServer(server: Pick<RunningServer, 'reload'>, secrets: LoadedSecrets): void {
  server.reload(readConfig(secrets.env), secrets);
}

/** Logs whether secrets and certificates were replaced, by those in the files that the settings name. */
export async function logReload(log: Log, reload: () => void | Promise<void>): Promise<void> {
  try {
    await reload();
    log.info('reloaded TLS files, secrets and keys');
  } catch (error) {
    logNotReloaded(log, error);
  }
}

export function logNotReloaded(log: Log, error: unknown): void {
  const reason = error instanceof StartProblem ? { problem: error.message } : { err: error };
  logAlert(log, 'notReloaded', reason);
}
