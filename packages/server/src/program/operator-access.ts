// Who may call the operator API: the keys of the settings, and the sessions of the console.

import type { Config } from '../config/config.ts';
import type { SessionCookie } from '../http/console/session-cookie.ts';
import { ConsoleSeals } from '../operations/console/console-seals.ts';
import type { OperatorKeys } from '../operations/console/operator-keys.ts';
import type { Store } from '../store/store.ts';
import type { LiveSecrets } from './server-secrets.ts';

interface OperatorAccess {
  readonly operatorKeys: () => OperatorKeys;
  readonly seals: ConsoleSeals;
  readonly sessionCookie: SessionCookie;
}

/** Servers on several ports of a machine share their cookies, so that the name identifies the database. */
const installationDigits = 8;

export function operatorAccess(
  { tlsFiles, isBehindTlsProxy }: Config,
  live: LiveSecrets,
  { environment, installationId }: Store,
): OperatorAccess {
  const operatorKeys = () => live.secrets.operatorKeys;
  const isSecure = tlsFiles !== undefined || isBehindTlsProxy;
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
