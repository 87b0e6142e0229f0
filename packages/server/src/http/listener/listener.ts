// What both listeners share: limits of HTTP, request ids, observation, response deadlines, and errors for what is not a
// valid request.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { quoteValue } from '../../domain/quoted-value.ts';
import { AnswerDeadline } from '../../runtime/answer-deadline.ts';
import { EventLoopDelay } from '../../runtime/event-loop-delay.ts';
import type { Log } from '../../runtime/log.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { type ErrorForm, renderError, sendError } from '../error-response.ts';
import { bodyBytesMax } from '../request-body.ts';
import { serializerOf } from '../serializers.ts';
import { type ConnectionLimits, limitConnections } from './connections.ts';
import { beginCall, observeCalls } from './observation.ts';
import { closeSoon, parserError, sendOnSocket } from './socket-failures.ts';
import { type IsTrustedProxy, warnOfUntrustedProxies } from './trusted-proxies.ts';

/** All headers of a request together, in bytes; the default of Node.js. */
const headerBytesMax = 16_384;

/** A request must arrive completely within this time, in ms. */
const requestArrivalMs = 30_000;

/** How often the time of arrival is checked, in ms. */
const arrivalCheckMs = 1_000;

/** How long an idle connection is kept, in ms: longer than the usual minute of proxies. */
const keepAliveMs = 72_000;

/** With a longer mean delay of the event loop, in ms, calls get 503 at once. */
const eventLoopDelayMaxMs = 2_000;

/** A call whose response is not ready within this time, in ms, gets 503. */
export const answerWithinMs = 2_800;

/** The same limit for an operation that takes long, as its contract declares. */
const longAnswerWithinMs = 280_000;

/** The same limit for an operation that waits for up to 30 seconds, in addition to the time of any call. */
const waitedAnswerWithinMs = 32_800;

declare module 'fastify' {
  interface FastifyRequest {
    /** Sets the deadline of an operation that takes long or waits, as its contract declares. */
    extendDeadline(reply: FastifyReply, operation: { takesLong?: true; waits?: true }): void;
  }
}

export interface ListenerOptions extends ConnectionLimits {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly nextRequestId: () => string;
  /** Set by tests that shorten `requestArrivalMs`. */
  readonly arrivalMs?: number | undefined;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  /** undefined: no proxy is configured, and forwarding headers are ignored. */
  readonly isTrustedProxy: IsTrustedProxy | undefined;
  /** The form of errors that no route sends; there is no request for errors of the HTTP parser. */
  readonly errorForm: (request?: FastifyRequest) => ErrorForm;
}

/** Creates a server without routes. */
export function createListener(options: ListenerOptions): FastifyInstance {
  const { errorForm, nextRequestId, isTrustedProxy, arrivalMs = requestArrivalMs } = options;
  const shutdown = new Shutdown();
  const http = {
    maxHeaderSize: headerBytesMax,
    // By default a minute; Node.js swaps it with a shorter requestTimeout.
    headersTimeout: arrivalMs,
    connectionsCheckingInterval: arrivalCheckMs,
    requireHostHeader: false,
    // Node.js would use the first of two Authorization or Content-Type headers; joined, they are invalid.
    joinDuplicateHeaders: true,
  };
  const server = fastify({
    ...(options.tls === undefined ? { http } : { https: { ...http, ...options.tls } }),
    logger: false,
    genReqId: nextRequestId,
    requestIdHeader: false,
    // Only the last X-Forwarded-For counts: a client may have sent the earlier ones.
    trustProxy: isTrustedProxy
      ? (address: string, hop: number) => hop === 0 && isTrustedProxy(address)
      : false,
    bodyLimit: bodyBytesMax,
    requestTimeout: arrivalMs,
    keepAliveTimeout: keepAliveMs,
    return503OnClosing: false,
    // Operations check the sizes of path values.
    routerOptions: { maxParamLength: headerBytesMax },
    frameworkErrors(_error: Error, request: FastifyRequest, reply: FastifyReply) {
      beginCall(request, reply);
      shutdown.closeAfter(reply);
      const detail = `path: expected percent-encoded UTF-8, got ${quoteValue(request.url)}.`;
      sendError(reply, errorForm(request), 'invalidRequest', { detail });
    },
    clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket) {
      sendOnSocket(socket, renderError(errorForm(), parserError(error)), nextRequestId());
    },
  } as Parameters<typeof fastify>[0]) as unknown as FastifyInstance;
  limitConnections(server.server, options);
  for (const event of ['connection', 'secureConnection']) server.server.on(event, shutdown.trackConnection);
  server.setSerializerCompiler(serializerOf);
  server.server.on('checkExpectation', (message: IncomingMessage, response: ServerResponse) => {
    server.server.emit('request', message, response);
  });
  // A client that has ended its side may still wait for the response.
  (server.server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  server.server.on('connect', (_message: IncomingMessage, socket: Socket) => {
    // Node.js does not handle this socket from here on: without a listener, an error would end the process.
    socket.on('error', () => socket.destroy());
    sendOnSocket(socket, renderError(errorForm(), 'malformedRequest'), nextRequestId());
  });
  observeCalls(server, options);
  if (isTrustedProxy !== undefined) warnOfUntrustedProxies(server, isTrustedProxy, options.log);
  server.addHook('onRequest', (request, reply, done) => {
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      sendError(reply, errorForm(request), 'malformedRequest');
      return;
    }
    done();
  });
  limitResponseTimes(server, errorForm, shutdown);
  rejectWhenLate(server, errorForm);
  return server;
}

/** Sends 503 while the event loop is late, since responses would be late, too. */
function rejectWhenLate(server: FastifyInstance, errorForm: ListenerOptions['errorForm']): void {
  const delay = new EventLoopDelay();
  server.addHook('onRequest', (request, reply, done) => {
    if (delay.meanMs > eventLoopDelayMaxMs) sendError(reply, errorForm(request), 'unavailable');
    else done();
  });
  server.addHook('onClose', (_server, done) => {
    delay[Symbol.dispose]();
    done();
  });
}

/** Responds to calls without a route before their bodies are read. */
export function rejectUnrouted(
  server: FastifyInstance,
  reject: (request: FastifyRequest, reply: FastifyReply) => unknown,
): void {
  server.setNotFoundHandler(reject);
  server.addHook('onRequest', (request, reply, done) => {
    if (request.is404) reject(request, reply);
    else done();
  });
}

/** Closes connections that would delay a shutdown, because they are kept for the next request. */
class Shutdown {
  isStarted = false;
  /** Requests that have their response but have not arrived completely. */
  readonly #unread = new Set<IncomingMessage>();
  readonly #connections = new Set<Socket>();

  start(): void {
    this.isStarted = true;
    for (const { socket } of this.#unread) {
      socket.end();
      closeSoon(socket);
    }
    // Until the first byte, Node.js 24 takes a connection for one with a request in flight.
    for (const socket of this.#connections) if (socket.bytesRead === 0) socket.destroy();
  }

  readonly trackConnection = (socket: Socket): void => {
    this.#connections.add(socket);
    socket.once('close', () => this.#connections.delete(socket));
  };

  /** Closes the connection of a response that is sent during the shutdown. */
  readonly closeAfter = (reply: FastifyReply): void => {
    if (this.isStarted) reply.header('connection', 'close');
  };

  trackAnswered(message: IncomingMessage): void {
    if (message.complete || message.destroyed) return;
    this.#unread.add(message);
    message.once('close', () => this.#unread.delete(message));
  }
}

/** Sends 503 at the deadline. The work continues, and its late result is dropped. */
function limitResponseTimes(
  server: FastifyInstance,
  errorForm: ListenerOptions['errorForm'],
  shutdown: Shutdown,
): void {
  const slow = new Set<FastifyReply>();
  const deadlineOf = (limitMs: number): AnswerDeadline<FastifyReply> => {
    const deadline = new AnswerDeadline<FastifyReply>(limitMs, (reply) => {
      if (reply.sent) return;
      const { request } = reply;
      if (request.raw.complete) {
        sendError(reply, errorForm(request), 'unavailable');
        return;
      }
      // A slow client is not an overload: the deadline starts again at the end of the request.
      slow.add(reply);
      request.raw.once('end', () => startWait(deadline, reply));
      reply.raw.once('close', () => slow.delete(reply));
    });
    return deadline;
  };
  const startWait = (deadline: AnswerDeadline<FastifyReply>, reply: FastifyReply): void => {
    reply.request.call.answerWait = deadline.begin(reply);
    shutdown.closeAfter(reply);
  };
  const ordinary = deadlineOf(answerWithinMs);
  const long = deadlineOf(longAnswerWithinMs);
  const waiting = deadlineOf(waitedAnswerWithinMs);
  const extendDeadline: FastifyRequest['extendDeadline'] = function (this: FastifyRequest, reply, operation) {
    if (operation.takesLong !== true && operation.waits !== true) return;
    this.call.answerWait?.answered();
    startWait(operation.waits === true ? waiting : long, reply);
  };
  server.decorateRequest('extendDeadline', extendDeadline);
  server.addHook('onRequest', (_request, reply, done) => {
    startWait(ordinary, reply);
    done();
  });
  server.addHook('onResponse', (request, _reply, done) => {
    request.call.answerWait?.answered();
    shutdown.trackAnswered(request.raw);
    done();
  });
  server.addHook('preClose', (done) => {
    shutdown.start();
    for (const deadline of [ordinary, long, waiting]) deadline.waiting().forEach(shutdown.closeAfter);
    slow.forEach(shutdown.closeAfter);
    // A response whose headers were already sent cannot be marked, so its idle connection is closed instead.
    server.server.keepAliveTimeout = 1;
    done();
  });
}
