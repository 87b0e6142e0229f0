// What both listeners have in common: limits of HTTP, request ids, observation, and the refusal of what is no
// request at all. How a refusal looks is told by the listener.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import underPressure from '@fastify/under-pressure';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { shownValue } from '../../domain/shown-value.ts';
import { AnswerDeadline } from '../../runtime/answer-deadline.ts';
import type { Log } from '../../runtime/log.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { type ErrorForm, renderError, sendError } from '../error-response.ts';
import { bodyBytesMax } from '../request-body.ts';
import { serializerOf } from '../serializers.ts';
import { beginCall, observeCalls } from './observation.ts';
import { cutOffSoon, parserError, refuseOnSocket } from './socket-failures.ts';

/** All headers of a request together, in bytes; Node's own default. */
const headerBytesMax = 16_384;

/** A request has to arrive whole within this time, in ms. */
const requestArrivalMs = 30_000;

/** An idle connection is kept this long, in ms: longer than the minute that proxies keep theirs. */
const keepAliveMs = 72_000;

/** From this delay of the event loop on, calls are refused with 503 before any work, in ms. */
const eventLoopDelayMaxMs = 2_000;

/** Every call is answered within this time, in ms: with 503 when the database has not answered until then. */
export const answerWithinMs = 2_800;

/** With OPENTILL_BEHIND_TLS_PROXY=true: who connects is the proxy, and the last X-Forwarded-For whom it has seen. */
const isProxyInFront = (_address: string, hop: number): boolean => hop === 0;

/** A call that takes long, as its contract says, is answered within this time, in ms. */
const longAnswerWithinMs = 280_000;

/** And one that waits as long as its caller says: 30 seconds at most, beside the time that any call has. */
const waitedAnswerWithinMs = 32_800;

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives a call whose contract says that it takes long, or waits, the time for it. */
    allowLongAnswer(reply: FastifyReply, operation: { takesLong?: true; waits?: true }): void;
  }
}

export interface ListenerOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly nextRequestId: () => string;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  readonly isBehindProxy: boolean;
  /** The form of errors that no route sends; without a request, of those that the HTTP parser reports. */
  readonly errorForm: (request?: FastifyRequest) => ErrorForm;
}

/** A server without routes: it answers whatever is no call of a known path. */
export async function createListener(options: ListenerOptions): Promise<FastifyInstance> {
  const { errorForm, nextRequestId } = options;
  const stop = new Stop();
  // Node would take the first of two Authorization or Content-Type headers. Joined, they have no form that is accepted.
  const http = { maxHeaderSize: headerBytesMax, requireHostHeader: false, joinDuplicateHeaders: true };
  const server = fastify({
    ...(options.tls === undefined ? { http } : { https: { ...http, ...options.tls } }),
    logger: false,
    genReqId: nextRequestId,
    requestIdHeader: false,
    // The one proxy in front tells the caller's address; what the caller wrote before that counts for nothing.
    trustProxy: options.isBehindProxy ? isProxyInFront : false,
    bodyLimit: bodyBytesMax,
    requestTimeout: requestArrivalMs,
    keepAliveTimeout: keepAliveMs,
    return503OnClosing: false,
    // Sizes of path values are the operations' to check: here only the header limits them.
    routerOptions: { maxParamLength: headerBytesMax },
    frameworkErrors(_error: Error, request: FastifyRequest, reply: FastifyReply) {
      beginCall(request, reply);
      stop.markAnswer(reply);
      const detail = `path: expected percent-encoded UTF-8, got ${shownValue(request.url)}.`;
      sendError(reply, errorForm(request), 'invalidRequest', { detail });
    },
    clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket) {
      refuseOnSocket(socket, renderError(errorForm(), parserError(error)), nextRequestId());
    },
  } as Parameters<typeof fastify>[0]) as unknown as FastifyInstance;
  server.setSerializerCompiler(serializerOf);
  server.server.on('checkExpectation', (message: IncomingMessage, response: ServerResponse) => {
    server.server.emit('request', message, response);
  });
  // A caller that has sent all it will send still waits for the answer.
  (server.server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  server.server.on('connect', (_message: IncomingMessage, socket: Socket) => {
    // Node has let go of this socket: without a listener, a caller who leaves would end the process.
    socket.on('error', () => socket.destroy());
    refuseOnSocket(socket, renderError(errorForm(), 'malformedRequest'), nextRequestId());
  });
  observeCalls(server, options);
  server.addHook('onRequest', (request, reply, done) => {
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      sendError(reply, errorForm(request), 'malformedRequest');
      return;
    }
    done();
  });
  boundAnswers(server, errorForm, stop);
  await server.register(underPressure, {
    maxEventLoopDelay: eventLoopDelayMaxMs,
    pressureHandler: (request, reply) => {
      sendError(reply, errorForm(request), 'unavailable');
    },
  });
  return server;
}

/** Answers a call of no route before its body is looked at: what that holds makes no difference. */
export function refuseUnrouted(
  server: FastifyInstance,
  refuse: (request: FastifyRequest, reply: FastifyReply) => unknown,
): void {
  server.setNotFoundHandler(refuse);
  server.addHook('onRequest', (request, reply, done) => {
    if (request.is404) refuse(request, reply);
    else done();
  });
}

/** Lets go of connections that, kept for a next call, would hold up the stop. */
class Stop {
  isBegun = false;
  /** What has been answered, and is still coming. */
  readonly #unread = new Set<IncomingMessage>();

  begin(): void {
    this.isBegun = true;
    for (const { socket } of this.#unread) {
      socket.end();
      cutOffSoon(socket);
    }
  }

  /** An answer that goes out during the stop ends its connection. */
  readonly markAnswer = (reply: FastifyReply): void => {
    if (this.isBegun) reply.header('connection', 'close');
  };

  /** Before the stop its answer could not know of it. */
  noteAnswered(message: IncomingMessage): void {
    // One whose caller has left has told of its end already.
    if (message.complete || message.destroyed) return;
    this.#unread.add(message);
    message.once('close', () => this.#unread.delete(message));
  }
}

/** What is still under way after its time goes on, and its late answer is dropped. */
function boundAnswers(server: FastifyInstance, errorForm: ListenerOptions['errorForm'], stop: Stop): void {
  const slow = new Set<FastifyReply>();
  const deadlineOf = (limitMs: number): AnswerDeadline<FastifyReply> => {
    const deadline = new AnswerDeadline<FastifyReply>(limitMs, (reply) => {
      if (reply.sent) return;
      const { request } = reply;
      if (request.raw.complete) {
        sendError(reply, errorForm(request), 'unavailable');
        return;
      }
      // A slow caller is not an overload: the time for the answer runs from the end of the call on.
      slow.add(reply);
      request.raw.once('end', () => bound(deadline, reply));
      reply.raw.once('close', () => slow.delete(reply));
    });
    return deadline;
  };
  const bound = (deadline: AnswerDeadline<FastifyReply>, reply: FastifyReply): void => {
    reply.request.call.answerWait = deadline.begin(reply);
    stop.markAnswer(reply);
  };
  const ordinary = deadlineOf(answerWithinMs);
  const long = deadlineOf(longAnswerWithinMs);
  const byCaller = deadlineOf(waitedAnswerWithinMs);
  const allowLongAnswer: FastifyRequest['allowLongAnswer'] = function (
    this: FastifyRequest,
    reply,
    operation,
  ) {
    if (operation.takesLong !== true && operation.waits !== true) return;
    this.call.answerWait?.answered();
    bound(operation.waits === true ? byCaller : long, reply);
  };
  server.decorateRequest('allowLongAnswer', allowLongAnswer);
  server.addHook('onRequest', (_request, reply, done) => {
    bound(ordinary, reply);
    done();
  });
  server.addHook('onResponse', (request, _reply, done) => {
    request.call.answerWait?.answered();
    stop.noteAnswered(request.raw);
    done();
  });
  server.addHook('preClose', (done) => {
    stop.begin();
    for (const deadline of [ordinary, long, byCaller]) deadline.waiting().forEach(stop.markAnswer);
    slow.forEach(stop.markAnswer);
    // An answer that is on its way out could not know of it either: its connection is not kept for another call.
    server.server.keepAliveTimeout = 1;
    done();
  });
}
