// The steps that every request takes before those of its route (listener.ts has their order).

import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { EventLoopDelay } from '../../runtime/event-loop-delay.ts';
import type { Log } from '../../runtime/log.ts';
import { type ErrorFormOf, sendError } from '../error-response.ts';
import type { IsTrustedProxy } from './client.ts';

/** With a longer mean delay of the event loop, in ms, calls get 503 at once. */
const eventLoopDelayMaxMs = 2_000;

export interface StepOptions {
  readonly log: Log;
  /** undefined: no proxy is configured, and forwarding headers are ignored. */
  readonly isTrustedProxy: IsTrustedProxy | undefined;
  /** Names under which the listener can be called, in addition to localhost and IP addresses; undefined: any name. */
  readonly hosts?: readonly string[];
  readonly errorForm: ErrorFormOf;
  /** Responds to a call without a route. */
  readonly sendUnrouted: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
}

const forwardingHeaders = ['x-forwarded-for', 'forwarded'];

/** Logs once that a forwarding header was ignored, because it came from an address that is not trusted. */
export function warnOfUntrustedProxy({ isTrustedProxy, log }: StepOptions): onRequestHookHandler {
  let isDone = isTrustedProxy === undefined;
  return ({ headers, socket }, _reply, done) => {
    const address = socket.remoteAddress ?? '';
    if (
      !isDone &&
      forwardingHeaders.some((name) => headers[name] !== undefined) &&
      !isTrustedProxy?.(address)
    ) {
      isDone = true;
      log.warn(
        { address },
        'ignored the forwarding header of a request: if its address is that of your proxy, add it to OPENTILL_TRUSTED_PROXIES',
      );
    }
    done();
  };
}

/** As HTTP/1.1 requires; Node.js would respond without a body. */
export function requireHost({ errorForm }: StepOptions): onRequestHookHandler {
  return (request, reply, done) => {
    if (request.headers.host !== undefined || request.raw.httpVersion !== '1.1') done();
    else sendError(reply, errorForm(request), 'malformedRequest');
  };
}

/** Sends 503 while the event loop is late, since responses would be late, too. */
export function rejectWhenLate(server: FastifyInstance, { errorForm }: StepOptions): onRequestHookHandler {
  const delay = new EventLoopDelay();
  server.addHook('onClose', async () => delay[Symbol.dispose]());
  return (request, reply, done) => {
    if (delay.meanMs > eventLoopDelayMaxMs) sendError(reply, errorForm(request), 'unavailable');
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
