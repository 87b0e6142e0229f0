// The secrets of a server: from the settings or, with the bundled PostgreSQL, from files that the first start creates.

import { adminKeyName, type Config } from '../config/config.ts';
import { closeSecretFiles, makeDataFolder, secretFile } from '../config/secret-files.ts';
import { isOperatorKey, operatorKeyExpected } from '../config/secret-settings.ts';
import {
  deriveContinuationKeySecret,
  deriveSealSecret,
  parseTokenKeys,
  type TokenKeys,
} from '../domain/tokens/access-token.ts';
import { ConsoleSeals } from '../operations/console/console-seals.ts';
import { operatorKeys as operatorKeysOf } from '../operations/console/operator-keys.ts';
import type { Log } from '../runtime/log.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import type { Store } from '../store/store.ts';

const keyBytes = 32;

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
  /** The key of the data folder, with the bundled PostgreSQL. */
  readonly adminKey: string | undefined;
  readonly tokenKeys: TokenKeys;
}

export type Secrets = ReturnType<typeof secretsOf>;

export function secretsOf({ operatorKeys }: Config, { adminKey, tokenKeys }: ServerKeys) {
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
  };
}

/** Servers on several ports of a machine share their cookies, so that the name identifies the database. */
const installationDigits = 8;

export type OperatorAccess = ReturnType<typeof operatorAccess>;

/** The credentials of the operator API: the keys of the settings, and the sessions of the console. */
export function operatorAccess(
  { tlsFiles, trustedProxies }: Config,
  { operatorKeys, sealSecrets }: Secrets,
  { environment, installationId }: Store,
) {
  const isSecure = tlsFiles !== undefined || trustedProxies !== undefined;
  const name = `opentill-${environment}-${installationId.toString('hex').slice(0, installationDigits)}`;
  return {
    operatorKeys,
    seals: new ConsoleSeals({
      scope: { environment, installationId },
      secrets: sealSecrets,
      keys: operatorKeys,
    }),
    // Safari rejects both the prefix and Secure without TLS, even on loopback.
    sessionCookie: { name: isSecure ? `__Host-${name}` : name, isSecure },
  };
}
