// The process: settings in, one line for what is wrong, a server, a clean end.

import closeWithGrace from 'close-with-grace';
import type { ClientConfig } from 'pg';
import { type Config, readConfig } from './config.ts';
import { makeDemo } from './demo.ts';
import { parseTokenKeys, type TokenKeys } from './domain/access-token.ts';
import { startEmbeddedPostgres } from './embedded/start-embedded-postgres.ts';
import { systemClock } from './runtime/clock.ts';
import { type Log, openLog } from './runtime/log.ts';
import { secureRandomness } from './runtime/randomness.ts';
import { StartProblem } from './runtime/start-problem.ts';
import { makeDataFolder, secretFile } from './secret-files.ts';
import { startServer } from './server.ts';
import { welcome } from './welcome.ts';

/** A stop waits this long for what is in flight; every call is answered within 3 seconds. */
const stopWithinMs = 10_000;

const keyBytes = 32;
const stdout = 1;

/** Runs a server until it is told to stop. `--demo` is OPENTILL_DEMO=true where nothing else is set. */
export async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { log, flush } = openLog({ level: 'info', fd: stdout });
  try {
    const config = readConfig(withDemo(args, env));
    log.level = config.logLevel;
    await using starting = new AsyncDisposableStack();
    starting.defer(flush);
    const secrets = await makeSecrets(config);
    const connection = await connectionOf(config, starting);
    const server = starting.use(
      await startServer(config, {
        ...secrets,
        connection,
        clock: systemClock,
        randomness: secureRandomness,
        log,
        runsJobs: true,
      }),
    );
    const demo = config.makesDemo
      ? await makeDemo(config, { handlers: server.operatorHandlers, now: systemClock.now() })
      : undefined;
    process.stdout.write(welcome({ config, server, adminKey: secrets.adminKey, demo }));
    stopOnSignal(starting.move(), log);
  } catch (error) {
    flush();
    if (!(error instanceof StartProblem)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

function withDemo(args: readonly string[], env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const unknown = args.filter((arg) => arg !== '--demo');
  if (unknown.length > 0) {
    throw new StartProblem(
      `Unknown argument ${unknown.join(' ')}: the only one is --demo; settings are variables.`,
    );
  }
  // A demo is for the sandbox: the same command in production starts without one.
  const wantsDemo = args.includes('--demo') && env['OPENTILL_ENVIRONMENT'] !== 'production';
  return wantsDemo ? { OPENTILL_DEMO: 'true', ...env } : env;
}

/** Given by the settings; with the bundled PostgreSQL, made at the first start where they are not. */
async function makeSecrets(config: Config): Promise<{ adminKey: string | undefined; tokenKeys: TokenKeys }> {
  const { adminKey, tokenKeys, databaseUrl } = config;
  if (databaseUrl !== undefined && tokenKeys !== undefined) return { adminKey, tokenKeys };
  await makeDataFolder(config.dataFolder);
  const draw = () => secureRandomness.bytes(keyBytes).toString('base64url');
  return {
    adminKey: adminKey ?? (await secretFile(config.dataFolder, 'operator.key', draw)),
    tokenKeys: tokenKeys ?? (await tokenKeysOf(config.dataFolder, draw)),
  };
}

async function tokenKeysOf(folder: string, draw: () => string): Promise<TokenKeys> {
  const keys = parseTokenKeys(await secretFile(folder, 'token.keys', () => `1:${draw()}`));
  if ('problem' in keys) throw new StartProblem(`The file token.keys in ${folder}: ${keys.problem}`);
  return keys;
}

async function connectionOf(config: Config, starting: AsyncDisposableStack): Promise<ClientConfig> {
  if (config.databaseUrl !== undefined) return { connectionString: config.databaseUrl };
  const postgres = starting.use(await startEmbeddedPostgres({ dataFolder: config.dataFolder }));
  // Over a Unix socket or loopback there is no TLS, whatever PGSSLMODE says.
  return { ...postgres.connection, ssl: false };
}

/** Ctrl-C, a stop by the machine, or a fault that nobody caught: in each case what is in flight is finished. */
function stopOnSignal(running: AsyncDisposableStack, log: Log): void {
  closeWithGrace({ delay: stopWithinMs, logger: false }, async ({ err }) => {
    if (err !== undefined) log.fatal({ err }, 'the server stops because of a fault');
    await running.disposeAsync();
  });
}
