// Lets a developer test error handling in the sandbox: injects the faults of an app into its calls, and logs the calls
// (docs/decisions/sandbox.md).

import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { faultError, statusError } from '../../domain/sandbox/faults.ts';
import { verifyAccessToken } from '../../domain/tokens/access-token.ts';
import type { TokenIssuer, TokenSettings } from '../../operations/tokens/getAccessToken.ts';
import { pause } from '../../runtime/pause.ts';
import { type FaultMatcher, faultMatcher } from '../../store/sandbox/faults.ts';
import type { FaultRow } from '../../store/sandbox/sandbox-state.ts';
import type { Store } from '../../store/store.ts';
import { type ErrorForm, renderError, sendError, setOutcome } from '../error-response.ts';
import { basicUser, type CallLogging, logCall, logCalls } from './call-log.ts';
import { rejectEndedToken, type SandboxCalls, sandboxStateOf } from './sandbox-request.ts';

/** The additions of a sandbox to the calls of its apps. */
export interface CallTesting extends SandboxCalls {
  readonly faults: FaultInjection;
  readonly logging: CallLogging;
  readonly tokens: Pick<TokenIssuer, 'findPackageName'>;
}

export function callTesting(
  { database, clock, apps }: Store,
  parts: {
    readonly tokenSettings: TokenSettings;
    readonly tokens: TokenIssuer;
    readonly sandbox: Pick<NonNullable<Store['sandbox']>, 'requestLog' | 'readState'>;
    readonly stopping: AbortSignal;
  },
): CallTesting {
  const { tokenSettings, tokens, sandbox, stopping } = parts;
  const { keys, scope } = tokenSettings;
  const calls = { clock, readState: sandbox.readState };
  return {
    ...calls,
    faults: { take: faultMatcher(database), stopping },
    logging: {
      ...calls,
      log: sandbox.requestLog,
      apps,
      verifyToken: (token) => verifyAccessToken(token, keys, scope),
    },
    tokens,
  };
}

/** For a scope of routes; must be called before any other onSend hook is added. */
export function observeForTesting(server: FastifyInstance, testing: CallTesting): void {
  logCalls(server, testing.logging);
  delayAndCutResponses(server, testing.faults, (request, reply) => logCall(request, reply, testing.logging));
}

/** The steps of a call with an access token that follow its authentication. */
export function sandboxSteps(form: ErrorForm, testing: CallTesting): onRequestAsyncHookHandler[] {
  return [
    rejectEndedToken(form, testing),
    async function injectFaults(request, reply) {
      return (await injectFault(request, reply, testing)) ? reply : undefined;
    },
  ];
}

export type ClientIdentification = (request: FastifyRequest) => Promise<void>;

/**
 * For the token endpoint, where the client id identifies the app that a call is logged for, whatever the secret is and
 * wherever the call has it.
 */
export function identifyClient(testing: CallTesting): ClientIdentification {
  return async (request) => {
    const { body, query, headers } = request;
    const [inBody, inQuery] = [body, query].map(
      (form) => (form as Record<string, unknown> | undefined)?.['client_id'],
    );
    const clientId = [inBody, inQuery, basicUser(headers.authorization)].find((id) => typeof id === 'string');
    if (clientId === undefined) return;
    request.call.packageName = (await testing.tokens.findPackageName(clientId)) ?? null;
    await sandboxStateOf(request, testing);
  };
}

interface FaultInjection {
  readonly take: FaultMatcher;
  /** Aborted at shutdown: delayed responses are then sent at once. */
  readonly stopping: AbortSignal;
}

/** Responses that are delayed at once; further ones are sent without delay, to limit memory. */
const delayedMax = 1_000;

/** Applies the delay and the cut of a fault to responses in a scope of routes. */
function delayAndCutResponses(
  server: FastifyInstance,
  { stopping }: FaultInjection,
  onCut: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  let delayed = 0;
  const delay = async (request: FastifyRequest, ms: number | null): Promise<void> => {
    if (ms === null || delayed >= delayedMax) return;
    delayed += 1;
    await waitFor(request, { ms, stopping }).finally(() => {
      delayed -= 1;
    });
  };
  server.addHook('onSend', (request, reply, payload, done) => {
    const { fault } = request.call;
    if (fault === null) {
      done(null, payload);
      return;
    }
    // The deadline for responses applies neither to an injected delay nor to a cut.
    request.call.liftTimeLimit?.();
    const sendOrCut = (): void => {
      if (fault.cut === null) {
        done(null, payload);
        return;
      }
      // No byte of the response is sent, and no hook follows.
      request.raw.socket.destroy();
      onCut(request, reply);
    };
    delay(request, fault.delayMs).then(sendOrCut, done);
  });
}

/** Ends early at shutdown, and when the client disconnects. */
async function waitFor(
  request: FastifyRequest,
  { ms, stopping }: { readonly ms: number; readonly stopping: AbortSignal },
): Promise<void> {
  const disconnected = new AbortController();
  const onClose = (): void => disconnected.abort();
  const { socket } = request.raw;
  socket.once('close', onClose);
  const signal = AbortSignal.any([stopping, disconnected.signal]);
  try {
    await pause(ms, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    socket.off('close', onClose);
  }
}

/** Draws a fault for a call whose app is known; true if the fault has sent the response. */
export async function injectFault(
  request: FastifyRequest,
  reply: FastifyReply,
  testing: CallTesting,
): Promise<boolean> {
  const state = await sandboxStateOf(request, testing);
  if (state === undefined || request.call.packageName === null) return false;
  const fault = await testing.faults.take(request.call.packageName, state.faults, request.call.operationId);
  request.call.fault = fault ?? null;
  return fault !== undefined && sendFault(reply, fault);
}

/** True if the operation must not run, because the fault responds or cuts the connection. */
function sendFault(reply: FastifyReply, { operation, code, httpStatus, cut }: FaultRow): boolean {
  if (code !== null) {
    const error = faultError(operation, code);
    if (error === undefined) throw new Error(`A fault of ${operation} has the code ${code}.`);
    sendError(reply, 'purchase', error);
    return true;
  }
  if (httpStatus !== null) {
    sendStatus(reply, httpStatus);
    return true;
  }
  if (cut !== 'before') return false;
  sendError(reply, 'purchase', 'internalError');
  return true;
}

/** Sends the error that is closest to the status. */
function sendStatus(reply: FastifyReply, httpStatus: number): void {
  const name = statusError(httpStatus);
  const { headers, body } = renderError('purchase', name);
  setOutcome(reply.request, 'purchase', name);
  reply.code(httpStatus).headers(headers).send(body);
}
