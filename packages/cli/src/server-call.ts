// Calls the operator API of a running server, or with the credentials of an app its developer API. A credential is never an
// argument, because other accounts of the machine could see it.

import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { OperatorClient } from '@opentill/client/operator';
import {
  findSecretFile,
  listenerUrl,
  type SettingName,
  settingOf,
} from '@opentill/server/for-command-line.ts';
import type { Command } from 'commander';
import { type CommandContext, UsageProblem } from './command-context.ts';
import { actsForApp } from './credentials.ts';
import { inStoreZone } from './store-zone.ts';
import { Output } from './terminal/output.ts';

interface ServerOptions {
  readonly json?: boolean;
  readonly operatorUrl?: string;
  readonly operatorKeyFile?: string;
  readonly dataDir?: string;
  readonly ca?: string;
}

/** An empty variable is one that its script could not fill: a default would call another server, or with other credentials. */
export function variableOf(env: CommandContext['env'], name: string): string | undefined {
  const value = env[name];
  if (value === '') throw new UsageProblem(`${name}: expected a value, got an empty one: set or unset it.`);
  return value;
}

/** The arguments of a command that calls a server. */
export interface ServerCall<Options> {
  readonly client: OperatorClient;
  /** The URL of the listener. */
  readonly host: string;
  readonly output: Output;
  readonly options: Options;
  /** Passed to every request. */
  readonly ending: { readonly signal: AbortSignal };
}

/**
 * Adds the options and the action of a command that calls a server; Commander has parsed the arguments. A command
 * `forDevelopers` calls the developer API instead, if the credentials are those of an app.
 */
export function callsServer<Options extends object>(
  command: Command,
  context: CommandContext,
  work: (call: ServerCall<Options>, ...args: string[]) => Promise<void>,
  { forDevelopers = false } = {},
): Command {
  return command
    .option('--json', 'print JSON')
    .option(
      '--operator-url <url>',
      'URL of the operator listener; by default OPENTILL_OPERATOR_URL, or OPENTILL_OPERATOR_HOST and _PORT',
    )
    .option('--ca <file>', caMeaning)
    .option(
      '--operator-key-file <file>',
      'a file with an operator key; by default OPENTILL_OPERATOR_KEY or OPENTILL_OPERATOR_KEY_FILE is used',
    )
    .option('--data-dir <folder>', 'the data folder whose operator.key is used if no key is set')
    .action(async (...received: unknown[]) => {
      // Commander passes the arguments, the options and the command itself.
      const args = received.slice(0, -2) as string[];
      const options = received.at(-2) as Options & ServerOptions;
      const { env, signal } = context;
      await trustAuthority(options.ca, env);
      const isForApp = forDevelopers && actsForApp(env, command);
      const called = isForApp ? await developerApi(env) : await operatorApi(options, env);
      const output = new Output(context, options);
      const zoned = await inStoreZone({ ...options }, called.client);
      const given = Object.values<string>(await inStoreZone({ ...args }, called.client));
      await work({ ...called, options: zoned, output, ending: { signal } }, ...given);
    });
}

type CalledApi = Pick<ServerCall<unknown>, 'client' | 'host'>;

async function operatorApi(options: ServerOptions, env: CommandContext['env']): Promise<CalledApi> {
  const { OperatorClient } = await import('@opentill/client/operator');
  const url = options.operatorUrl ?? variableOf(env, 'OPENTILL_OPERATOR_URL');
  const host = (url ?? listenerUrlOf(env, operatorListener)).replace(/\/$/, '');
  const operatorKey = await findOperatorKey(options, env);
  return { host, client: newClient(() => new OperatorClient({ host, operatorKey })) };
}

async function developerApi(env: CommandContext['env']): Promise<CalledApi> {
  const { developerMethods } = await import('./developer-methods.ts');
  const host = variableOf(env, 'STORE_URL') ?? listenerUrlOf(env, publicListener);
  const [clientId = '', clientSecret = ''] = ['CLIENT_ID', 'CLIENT_SECRET'].map((name) => {
    const value = variableOf(env, name);
    if (value !== undefined) return value;
    throw new UsageProblem(`${name}: expected the credentials of an app, got none.`);
  });
  return { host, client: newClient(() => developerMethods({ host, clientId, clientSecret })) };
}

export const caMeaning =
  'PEM file of a private certificate authority to trust as well; by default OPENTILL_CA';

/** How a command that follows events survives a restart. */
export const restartMeaning =
  'While the server does not respond, the command retries every second and then continues where it was';

/** Trusts the authority of the option or the variable in this process, in addition to those of Node.js. */
export async function trustAuthority(file: string | undefined, env: CommandContext['env']): Promise<void> {
  if (file === undefined) await trustAuthorityOf('OPENTILL_CA', env);
  else await trustFile('--ca', file);
}

export async function trustAuthorityOf(variable: string, env: CommandContext['env']): Promise<void> {
  const file = variableOf(env, variable);
  if (file !== undefined) await trustFile(variable, file);
}

async function trustFile(name: string, path: string): Promise<void> {
  const text = await readNamedFile(name, path);
  try {
    // setDefaultCACertificates ignores text that is not a certificate.
    new X509Certificate(text);
    setDefaultCACertificates([...getCACertificates('default'), text]);
  } catch {
    throw new UsageProblem(`${name}: expected PEM certificates in ${path}.`);
  }
}

/** An invalid host or credential is a usage error. */
export function newClient<Client>(make: () => Client): Client {
  try {
    return make();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageProblem(`${error.message}.`);
    throw error;
  }
}

/** The text of a setting, or its default. */
export function textOf(env: CommandContext['env'], name: SettingName): string {
  return env[name] || settingOf(name).default || '';
}

/** The URL of a listener of a server on this machine with the same settings. */
export function listenerUrlOf(
  env: CommandContext['env'],
  names: { readonly host: SettingName; readonly port: SettingName },
): string {
  const protocol = textOf(env, 'OPENTILL_TLS_CERT') === '' ? 'http' : 'https';
  return listenerUrl({ protocol, host: textOf(env, names.host), port: textOf(env, names.port) });
}

export const publicListener = { host: 'OPENTILL_HOST', port: 'OPENTILL_PORT' } as const;
const operatorListener = { host: 'OPENTILL_OPERATOR_HOST', port: 'OPENTILL_OPERATOR_PORT' } as const;

async function findOperatorKey(options: ServerOptions, env: CommandContext['env']): Promise<string> {
  const { operatorKeyFile } = options;
  if (operatorKeyFile !== undefined) return readNamedFile('--operator-key-file', operatorKeyFile);
  if (options.dataDir === undefined) {
    const key = variableOf(env, 'OPENTILL_OPERATOR_KEY');
    if (key !== undefined) return key;
    const file = variableOf(env, 'OPENTILL_OPERATOR_KEY_FILE');
    if (file !== undefined) return readNamedFile('OPENTILL_OPERATOR_KEY_FILE', file);
  }
  const folder = resolve(options.dataDir ?? textOf(env, 'OPENTILL_DATA_DIR'));
  const made = await findSecretFile(folder, 'operator.key');
  if (made !== undefined) return made;
  throw new UsageProblem(
    `No operator key: set OPENTILL_OPERATOR_KEY, or use --operator-key-file or --data-dir (there is no operator.key in ${folder}).`,
  );
}

/** A file that cannot be read is a usage error of the option or variable that names it. */
export async function readNamedFile(name: string, file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new UsageProblem(`${name}: ${(error as Error).message}.`);
  }
}
