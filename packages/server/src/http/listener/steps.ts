// The steps that every request takes before those of its route (listener.ts has their order), among them the limits of its
// time and of the calls of an app.

import { isIP } from 'node:net';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from 'fastify';
import { secondMs } from '../../domain/time.ts';
import { EventLoopDelay } from '../../runtime/event-loop-delay.ts';
import { FixedWindows } from '../../runtime/fixed-windows.ts';
import type { Log } from '../../runtime/log.ts';
import { limitTime } from '../../runtime/pause.ts';
import type { StoreClock } from '../../store/clocks/store-clock.ts';
import { type ErrorForm, type ErrorFormOf, sendError, sendOverload } from '../error-response.ts';
import { clientAddress, type IsTrustedProxy } from './client.ts';

/** With a longer mean delay of the event loop, in ms, calls get 503 at once. */
const eventLoopDelayMaxMs = 2_000;

export interface StepOptions {
  readonly log: Log;
  /** Multiplies the time limits of calls; set by tests, which a busy machine must not fail. */
  readonly patience?: number | undefined;
  /** undefined: no proxy is configured, and forwarding headers are ignored. */
  readonly isTrustedProxy: IsTrustedProxy | undefined;
  /** Names under which the listener can be called, in addition to localhost and IP addresses; undefined: any name. */
  readonly hosts?: readonly string[];
  readonly errorForm: ErrorFormOf;
  /** Responds to a call without a route. */
  readonly sendUnrouted: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
}

/** As HTTP/1.1 requires; Node.js would respond without a body. */
export function requireHost({ errorForm }: StepOptions): onRequestHookHandler {
  return (request, reply, done) => {
    if (request.headers.host !== undefined || request.raw.httpVersion !== '1.1') done();
    else sendError(reply, errorForm(request), 'malformedRequest');
  };
}

/** Sends 503 while the event loop is late, since responses would be late, too. */
export function rejectWhenLate(
  server: FastifyInstance,
  { errorForm, patience = 1 }: StepOptions,
): onRequestHookHandler {
  const delay = new EventLoopDelay();
  server.addHook('onClose', async () => delay[Symbol.dispose]());
  return (request, reply, done) => {
    if (delay.meanMs > eventLoopDelayMaxMs * patience) sendOverload(reply, errorForm(request));
    else done();
  };
}

const hostAndPort = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/;

/**
 * Limits the names under which the operator listener can be called, except for health checks: a web page whose name
 * resolves to this address could otherwise call it from the browser of an operator (docs/decisions/access.md).
 */
export function requireKnownHost({ hosts }: StepOptions): onRequestHookHandler {
  const names = hosts && new Set([...hosts, 'localhost']);
  return (request, reply, done) => {
    const { host } = request.headers;
    if (
      names === undefined ||
      host === undefined ||
      isAllowed(host, names) ||
      request.url.startsWith('/health/')
    ) {
      done();
      return;
    }
    const detail =
      'Host: expected an IP address, localhost or a name listed in OPENTILL_OPERATOR_HOSTS, got another name.';
    sendError(reply, 'operator', 'misdirectedRequest', { detail });
  };
}

function isAllowed(header: string, names: ReadonlySet<string>): boolean {
  const [, host = ''] = hostAndPort.exec(header) ?? [];
  const name = host.toLowerCase().replace(/\.$/, '');
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || names.has(name);
}

/** Responds to calls without a route before their bodies are read. */
export function rejectUnrouted({ sendUnrouted }: StepOptions): onRequestHookHandler {
  return (request, reply, done) => {
    if (request.is404) sendUnrouted(request, reply);
    else done();
  };
}

export interface CallLimit {
  /** undefined: no limit. */
  readonly callsPerSecondMax: number | undefined;
  readonly clock: StoreClock;
}

/** The limit of OPENTILL_RATE_LIMIT, counted by each server. Applies to routes that are registered afterwards, in this scope and those inside it. */
export function limitCalls(
  server: FastifyInstance,
  { callsPerSecondMax, clock, errorForm }: CallLimit & { readonly errorForm: ErrorFormOf },
): void {
  if (callsPerSecondMax === undefined) return;
  const windows = new FixedWindows(secondMs);
  // After authentication, which identifies the app.
  server.addHook('preHandler', (request, reply, done) => {
    const key = request.call.packageName ?? clientAddress(request);
    const { count } = windows.count(key, clock.now());
    // The owner of the app changes its credentials in the middle of a flood by a leaked token.
    if (count <= callsPerSecondMax || request.call.clientSecret?.rating === 'newest') done();
    else sendError(reply, errorForm(request), 'tooManyRequests');
  });
}

/** A call whose response is not ready within this time, in ms, gets 503. */
export const responseWithinMs = 2_800;

/** The same limit for an operation that takes long, as its contract declares. */
const longResponseWithinMs = 280_000;

/** The same limit for an operation that waits for up to 30 seconds, in addition to the time of any call. */
const waitedResponseWithinMs = 32_800;

/**
 * Starts the limit of any call. Fastify's handlerTimeout (5.12) would clear its timer as soon as the body of a request has
 * been read, and it includes the delay of an injected fault.
 */
export function limitResponseTime({
  errorForm,
  patience = 1,
}: Pick<StepOptions, 'errorForm' | 'patience'>): onRequestHookHandler {
  return (request, reply, done) => {
    startLimit(reply, () => errorForm(request), responseWithinMs * patience);
    done();
  };
}

/** Sets the limit of an operation that takes long or waits, as its contract declares. */
export function extendResponseTime(
  form: ErrorForm,
  { isLongRunning, isLongPoll }: { readonly isLongRunning?: true; readonly isLongPoll?: true },
): preHandlerHookHandler {
  return (request, reply, done) => {
    if (isLongPoll === true) startLimit(reply, () => form, waitedResponseWithinMs);
    if (isLongRunning === true) {
      startLimit(reply, () => form, longResponseWithinMs);
      // The connection is idle in the meantime.
      request.raw.setTimeout(longResponseWithinMs);
    }
    done();
  };
}

/** Sends 503 at the limit. The work continues, and its late result is dropped. */
function startLimit(reply: FastifyReply, formOf: () => ErrorForm, limitMs: number): void {
  const { call, raw } = reply.request;
  call.liftTimeLimit?.();
  call.liftTimeLimit = limitTime(limitMs, () => {
    if (reply.sent) return;
    if (raw.complete) sendOverload(reply, formOf());
    // A slow client is not an overload: the time starts again at the end of its request.
    else raw.once('end', () => startLimit(reply, formOf, limitMs));
  });
}
