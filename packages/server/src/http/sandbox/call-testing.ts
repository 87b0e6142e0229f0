// What calls of the purchase API meet in the sandbox only, so that a test can drive and see them: the faults of
// their app, and the log of them. In production none of it is there.

import type { FastifyInstance, onRequestHookHandler, preHandlerHookHandler } from 'fastify';
import { verifyAccessToken } from '../../domain/tokens/access-token.ts';
import { clientResolver, type TokenSettings } from '../../operations/tokens/getAccessToken.ts';
import type { Database } from '../../store/connection/database.ts';
import { faultTaker } from '../../store/sandbox/faults.ts';
import type { RequestLog } from '../../store/sandbox/request-log.ts';
import { type CallLogging, logCall, logCalls } from './call-log.ts';
import { type FaultInjection, holdAnswersBack, meetsFault } from './fault-injection.ts';
import type { SandboxCalls } from './sandbox-request.ts';

export interface CallTesting {
  readonly faults: FaultInjection;
  readonly logging: CallLogging;
  /** The app of a client id; undefined when there is none. */
  readonly findClient: (clientId: string) => Promise<string | undefined>;
}

export function callTesting(parts: {
  readonly database: Database;
  readonly tokenSettings: TokenSettings;
  readonly requestLog: RequestLog;
  readonly stopping: AbortSignal;
}): CallTesting {
  const { database, tokenSettings, requestLog, stopping } = parts;
  const { keys, scope, lifetimeSeconds } = tokenSettings;
  return {
    faults: { take: faultTaker(database), stopping },
    logging: {
      log: requestLog,
      verifyToken: (token) => verifyAccessToken(token, keys, scope),
      tokenLifetimeSeconds: lifetimeSeconds,
    },
    findClient: clientResolver(database),
  };
}

/** For a scope of routes, before any other hook that looks at answers. */
export function observeForTesting(server: FastifyInstance, testing: CallTesting, calls: SandboxCalls): void {
  logCalls(server, testing.logging, calls);
  holdAnswersBack(server, testing.faults, (request, reply) => logCall(request, reply, testing.logging));
}

/** For calls whose token has told the app. */
export function meetFault({ faults: { take } }: CallTesting, calls: SandboxCalls): onRequestHookHandler {
  return (request, reply, done) => {
    meetsFault(request, reply, { take, calls }).then((isAnswered) => {
      if (!isAnswered) done();
    }, done);
  };
}

/** For the token endpoint: the app is that of the client id, whatever the secret. */
export function meetClientFault(testing: CallTesting, calls: SandboxCalls): preHandlerHookHandler {
  const { findClient, faults } = testing;
  return async (request, reply) => {
    const { client_id: clientId } = (request.body ?? {}) as { readonly client_id?: unknown };
    if (typeof clientId !== 'string') return undefined;
    request.call.packageName = (await findClient(clientId)) ?? null;
    const isAnswered = await meetsFault(request, reply, { take: faults.take, calls });
    return isAnswered ? reply : undefined;
  };
}
