// The secrets and certificates that a running server replaces without a restart (docs/decisions/access.md).

import type { Server as HttpsServer } from 'node:https';
import type { FastifyInstance } from 'fastify';
import { adminKeyName, type Config } from '../config/config.ts';
import {
  deriveContinuationKeySecret,
  deriveSealSecret,
  type TokenKeys,
} from '../domain/tokens/access-token.ts';
import type { TlsContents } from '../http/listener/listening.ts';
import { operatorKeys as operatorKeysOf } from '../operations/console/operator-keys.ts';
import type { Store } from '../store/store.ts';

/** The keys that come from the settings or from the data folder. */
export interface ServerKeys {
  readonly adminKey: string | undefined;
  readonly tokenKeys: TokenKeys;
}

export type Secrets = ReturnType<typeof secretsOf>;

/** Read again with each use, because a reload replaces all of them together. */
export interface LiveSecrets {
  secrets: Secrets;
}

export function secretsOf(
  { operatorKeys, paymentGateway }: Pick<Config, 'operatorKeys' | 'paymentGateway'>,
  { adminKey, tokenKeys }: ServerKeys,
) {
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
  readonly store: Pick<Store, 'database'>;
  readonly live: LiveSecrets;
  readonly listeners: { readonly public: FastifyInstance; readonly operator: FastifyInstance };
}

/** Connections that are open keep their certificate and their database session. */
export function reloadSecrets(
  { store, live, listeners }: Reloaded,
  fresh: Config,
  { keys, tls }: { readonly keys: ServerKeys; readonly tls: TlsContents | undefined },
): void {
  live.secrets = secretsOf(fresh, keys);
  if (fresh.databaseUrl !== undefined) store.database.connectWith({ connectionString: fresh.databaseUrl });
  if (tls === undefined) return;
  for (const { server } of [listeners.public, listeners.operator])
    (server as unknown as HttpsServer).setSecureContext(tls);
}
