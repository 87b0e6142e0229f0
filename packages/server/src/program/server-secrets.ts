// The secrets of a server: from the settings or, with the bundled PostgreSQL, from files that the first start creates. A
// running server replaces them without a restart (docs/decisions/access.md).

import type { Server as HttpsServer } from 'node:https';
import type { FastifyInstance } from 'fastify';
import { adminKeyName, type Config, type Environ, readConfig } from '../config/config.ts';
import { closeSecretFiles, makeDataFolder, secretFile } from '../config/secret-files.ts';
import { isOperatorKey, operatorKeyExpected } from '../config/secret-settings.ts';
import { withSecretValues } from '../config/setting-reader.ts';
import {
  deriveContinuationKeySecret,
  deriveSealSecret,
  parseTokenKeys,
  type TokenKeys,
} from '../domain/tokens/access-token.ts';
import { readTls, type TlsContents } from '../http/listener/listening.ts';
import { ConsoleSeals } from '../operations/console/console-seals.ts';
import { operatorKeys as operatorKeysOf } from '../operations/console/operator-keys.ts';
import { systemClock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { requirePassed, StartProblem } from '../runtime/start-problem.ts';
import type { Database } from '../store/connection/database.ts';
import type { Store } from '../store/store.ts';
import { checkTls } from './checks.ts';

const keyBytes = 32;

interface LoadedSecrets {
  readonly config: Config;
  readonly keys: ServerKeys;
  readonly tls: TlsContents | undefined;
}

/**
 * Reads everything again, for a running server.
 * @throws StartProblem
 */
export async function loadAgain(env: Environ, running: Config): Promise<LoadedSecrets> {
  const config = readConfig(withSecretValues(env));
  if (withoutCredentials(config.databaseUrl) !== withoutCredentials(running.databaseUrl)) {
    throw new StartProblem(
      'DATABASE_URL: expected the same database as at the start; only its user and password may change.',
    );
  }
  const keys = await makeSecrets(config);
  requirePassed([await checkTls(config, systemClock.now())]);
  return { config, keys, tls: await readTls(config.tlsFiles) };
}

function withoutCredentials(databaseUrl: string | undefined): string | undefined {
  return databaseUrl?.replace(/\/\/[^/@]*@/, '//');
}

export async function makeSecrets(config: Config): Promise<ServerKeys> {
  const { tokenKeys, databaseUrl } = config;
  if (databaseUrl !== undefined && tokenKeys !== undefined) return { adminKey: undefined, tokenKeys };
  await makeDataFolder(config.dataFolder);
  const draw = () => secureRandomness.bytes(keyBytes).toString('base64url');
  return {
    adminKey: await adminKeyOf(config.dataFolder, draw),
    tokenKeys: tokenKeys ?? (await tokenKeysOf(config.dataFolder, draw)),
  };
}

/** Removes the permissions of other accounts from the secret files. */
export async function closeToOthers(dataFolder: string, log: Log): Promise<void> {
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

export interface ServerKeys {
  /** Of the data folder, with the bundled PostgreSQL. */
  readonly adminKey: string | undefined;
  readonly tokenKeys: TokenKeys;
}

export type Secrets = ReturnType<typeof secretsOf>;

/** Read again with each use, because a reload replaces all of them together. */
export interface LiveSecrets {
  secrets: Secrets;
}

export function secretsOf({ operatorKeys, paymentGateway }: Config, { adminKey, tokenKeys }: ServerKeys) {
  const { signing, byId } = tokenKeys;
  const keys = [signing, ...[...byId.values()].filter((key) => key !== signing)];
  const adminKeys =
    adminKey === undefined ? [] : [{ name: adminKeyName, role: 'admin', key: adminKey } as const];
  return {
    tokenKeys,
    /** The first secret signs, all of them verify. */
    continuationKeySecrets: keys.map(({ secret }) => deriveContinuationKeySecret(secret)),
    /** The first secret seals, all of them open. */
    sealSecrets: keys.map(({ secret }) => deriveSealSecret(secret)),
    operatorKeys: operatorKeysOf([...adminKeys, ...operatorKeys]),
    paymentGateway,
  };
}

interface Reloaded {
  readonly database: Database;
  readonly live: LiveSecrets;
  readonly listeners: { readonly public: FastifyInstance; readonly operator: FastifyInstance };
}

/** Connections that are open keep their certificate and their database session. */
export function reloadSecrets(
  { database, live, listeners }: Reloaded,
  fresh: Config,
  { keys, tls }: { readonly keys: ServerKeys; readonly tls: TlsContents | undefined },
): void {
  live.secrets = secretsOf(fresh, keys);
  if (fresh.databaseUrl !== undefined) database.connectWith({ connectionString: fresh.databaseUrl });
  if (tls === undefined) return;
  for (const { server } of [listeners.public, listeners.operator])
    (server as unknown as HttpsServer).setSecureContext(tls);
}

/** Servers on several ports of a machine share their cookies, so that the name identifies the database. */
const installationDigits = 8;

/** Who may call the operator API: the keys of the settings, and the sessions of the console. */
export function operatorAccess(
  { tlsFiles, trustedProxies }: Config,
  live: LiveSecrets,
  { environment, installationId }: Store,
) {
  const operatorKeys = () => live.secrets.operatorKeys;
  const isSecure = tlsFiles !== undefined || trustedProxies !== undefined;
  const name = `opentill-${environment}-${installationId.toString('hex').slice(0, installationDigits)}`;
  return {
    operatorKeys,
    seals: new ConsoleSeals({
      scope: { environment, installationId },
      secrets: () => live.secrets.sealSecrets,
      keys: operatorKeys,
    }),
    // Safari rejects both the prefix and Secure without TLS, even on loopback.
    sessionCookie: { name: isSecure ? `__Host-${name}` : name, isSecure },
  };
}
