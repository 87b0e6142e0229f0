// A sandbox server on free ports in this process, on a database of its own, for `opentill exec`.

import { OperatorClient } from '@opentill/client/operator';
import type { ClientConfig } from 'pg';
import { pino } from 'pino';
import { readConfig } from '../../config/config.ts';
import type { TokenKeys } from '../../domain/tokens/access-token.ts';
import { systemClock } from '../../runtime/clock.ts';
import { secureRandomness } from '../../runtime/randomness.ts';
import { startServer } from '../server.ts';

export interface Sandbox extends AsyncDisposable {
  /** Where the purchase API and the developer API are. */
  readonly host: string;
  /** Where the operator API is. */
  readonly operatorHost: string;
  /** A key of the role `admin`. */
  readonly operatorKey: string;
  readonly operator: OperatorClient;
}

const secretBytes = 32;

/** @throws StartProblem for a problem that the caller has to fix. */
export async function startSandboxOn(connection: ClientConfig): Promise<Sandbox> {
  const operatorKey = draw();
  const config = readConfig({
    OPENTILL_PORT: '0',
    OPENTILL_OPERATOR_PORT: '0',
    OPENTILL_WEBHOOK_ALLOW: 'loopback',
    OPENTILL_OPERATOR_KEYS: `sandbox:admin:${operatorKey}`,
    OPENTILL_TOKEN_KEYS: `1:${draw()}`,
  });
  const server = await startServer(config, {
    connection,
    adminKey: undefined,
    tokenKeys: config.tokenKeys as TokenKeys,
    clock: systemClock,
    randomness: secureRandomness,
    log: pino({ level: 'silent' }),
    logCall: () => undefined,
  });
  const { publicUrl: host, operatorUrl: operatorHost, stop } = server;
  const operator = new OperatorClient({ host: operatorHost, operatorKey });
  return { host, operatorHost, operatorKey, operator, [Symbol.asyncDispose]: stop };
}

function draw(): string {
  return secureRandomness.bytes(secretBytes).toString('base64url');
}
