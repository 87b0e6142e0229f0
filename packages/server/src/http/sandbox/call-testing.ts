// Lets a developer test error handling in the sandbox: injects the faults of an app into its calls, and logs the calls.

import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { verifyAccessToken } from '../../domain/tokens/access-token.ts';
import { clientResolver, type TokenSettings } from '../../operations/tokens/getAccessToken.ts';
import { faultMatcher } from '../../store/sandbox/faults.ts';
import type { RequestLog } from '../../store/sandbox/request-log.ts';
import type { Store } from '../../store/store.ts';
import { basicUser, type CallLogging, logCall, logCalls } from './call-log.ts';
import { delayAndCutResponses, type FaultInjection, injectFault } from './fault-injection.ts';
import { type SandboxCalls, sandboxStateOf } from './sandbox-request.ts';

export interface CallTesting {
  readonly faults: FaultInjection;
  readonly logging: CallLogging;
  /** The package name of the app with a client id. */
  readonly findClient: (clientId: string) => Promise<string | undefined>;
}

export function callTesting(
  { database, apps }: Pick<Store, 'database' | 'apps'>,
  parts: {
    readonly tokenSettings: TokenSettings;
    readonly requestLog: RequestLog;
    readonly stopping: AbortSignal;
  },
): CallTesting {
  const { tokenSettings, requestLog, stopping } = parts;
  const { keys, scope } = tokenSettings;
  return {
    faults: { take: faultMatcher(database), stopping },
    logging: { log: requestLog, apps, verifyToken: (token) => verifyAccessToken(token, keys(), scope) },
    findClient: clientResolver(database),
  };
}

/** For a scope of routes; must be called before any other onSend hook is added. */
export function observeForTesting(server: FastifyInstance, testing: CallTesting, calls: SandboxCalls): void {
  logCalls(server, testing.logging, calls);
  delayAndCutResponses(server, testing.faults, (request, reply) => logCall(request, reply, testing.logging));
}

/** For calls with an access token; runs after authentication. */
export function injectFaults({ faults }: CallTesting, calls: SandboxCalls): onRequestAsyncHookHandler {
  return async (request, reply) => ((await injectFault(request, reply, faults, calls)) ? reply : undefined);
}

export type ClientIdentification = (request: FastifyRequest) => Promise<void>;

/**
 * For the token endpoint, where the client id identifies the app that a call is logged for, whatever the secret is and
 * wherever the call has it.
 */
export function identifyClient({ findClient }: CallTesting, calls: SandboxCalls): ClientIdentification {
  return async (request) => {
    const { body, query, headers } = request;
    const [inBody, inQuery] = [body, query].map(
      (form) => (form as Record<string, unknown> | undefined)?.['client_id'],
    );
    const clientId = [inBody, inQuery, basicUser(headers.authorization)].find((id) => typeof id === 'string');
    if (clientId === undefined) return;
    request.call.packageName = (await findClient(clientId)) ?? null;
    await sandboxStateOf(request, calls);
  };
}
