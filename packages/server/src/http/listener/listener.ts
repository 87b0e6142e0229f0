// The common part of both listeners: limits of HTTP, the steps before those of a route, and errors for invalid requests,
// also those that Node.js rejects itself (docs/decisions/errors.md).

import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorName } from '@opentill/contract/errors.ts';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { quoteValue } from '../../domain/text/quoted-value.ts';
import { minuteMs } from '../../domain/time.ts';
import type { LogCall } from '../../runtime/log.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { limitTime } from '../../runtime/pause.ts';
import { type RenderedError, renderError, sendError } from '../error-response.ts';
import { bodyBytesMax } from '../request-body.ts';
import { serializerOf } from '../serializers.ts';
import { warnOfProxies, warnOfProxyProtocol } from './client.ts';
import { beginCall, reportCall } from './observation.ts';
import {
  limitResponseTime,
  rejectUnrouted,
  rejectWhenLate,
  requireHost,
  requireKnownHost,
  responseWithinMs,
  type StepOptions,
} from './steps.ts';

/** All headers of a request together, in bytes; the default of Node.js. */
const headerBytesMax = 16_384;

/** A request must arrive completely within this time, in ms. */
const requestArrivalMs = 30_000;

/** How often the time of arrival is checked, in ms. */
const arrivalCheckMs = 1_000;

/** How long an idle connection is kept, in ms: longer than the usual minute of proxies. */
const keepAliveMs = 72_000;

/** A connection on which nothing is sent or received during a call for this long, in ms, is closed. */
const connectionIdleMs = minuteMs;

export interface ListenerOptions extends StepOptions {
  readonly logCall: LogCall;
  readonly metrics: Metrics;
  readonly nextRequestId: () => string;
  readonly connectionsMax: number;
  /** Set by tests that shorten `requestArrivalMs`. */
  readonly arrivalMs?: number | undefined;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
}

/** Creates a server without routes. */
export function createListener(options: ListenerOptions): FastifyInstance {
  const { errorForm, nextRequestId, isTrustedProxy, arrivalMs = requestArrivalMs } = options;
  const warnOfProtocol = warnOfProxyProtocol(options.log);
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
    connectionTimeout: connectionIdleMs,
    requestTimeout: arrivalMs,
    keepAliveTimeout: keepAliveMs,
    return503OnClosing: false,
    // Operations check the sizes of path values.
    routerOptions: { maxParamLength: headerBytesMax },
    frameworkErrors(_error: Error, request: FastifyRequest, reply: FastifyReply) {
      beginCall(request, reply, () => undefined);
      const detail = `path: expected percent-encoded UTF-8, got ${quoteValue(request.url)}.`;
      sendError(reply, errorForm(request), 'invalidRequest', { detail });
    },
    clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket) {
      warnOfProtocol(error, socket.remoteAddress);
      sendOnSocket(socket, renderError(errorForm(), parserError(error)), nextRequestId());
    },
  } as Parameters<typeof fastify>[0]) as unknown as FastifyInstance;
  server.setSerializerCompiler(serializerOf);
  server.setNotFoundHandler(options.sendUnrouted);
  server.decorateRequest('call', null as unknown as FastifyRequest['call']);
  acceptRequests(server.server, options);
  // In this order, before those of the route; a step that responds is the last one.
  const steps = [
    beginCall,
    limitResponseTime(options),
    warnOfProxies(options),
    requireHost(options),
    rejectWhenLate(server, options),
    requireKnownHost(options),
    rejectUnrouted(options),
  ];
  for (const step of steps) server.addHook('onRequest', step);
  server.addHook('onResponse', reportCall(options));
  closeConnectionsAtStop(server);
  return server;
}

/** Handles what Node.js does not pass on as a request, or would respond to by itself. */
function acceptRequests(
  server: Server,
  { connectionsMax, metrics, errorForm, nextRequestId }: ListenerOptions,
): void {
  server.maxConnections = connectionsMax;
  server.on('drop', () => metrics.countRejectedConnection());
  server.on('checkExpectation', (message: IncomingMessage, response: ServerResponse) => {
    server.emit('request', message, response);
  });
  // A client that has ended its side may still wait for the response.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  server.on('connect', (_message: IncomingMessage, socket: Socket) => {
    // Node.js does not handle this socket from here on: without a listener, an error would end the process.
    socket.on('error', () => socket.destroy());
    sendOnSocket(socket, renderError(errorForm(), 'malformedRequest'), nextRequestId());
  });
}

/** During a shutdown, each response closes its connection; other connections are closed when all calls have theirs. */
function closeConnectionsAtStop(server: FastifyInstance): void {
  let isStopping = false;
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
  server.addHook('preClose', (done) => {
    isStopping = true;
    // For a response that is being sent.
    server.server.keepAliveTimeout = 1;
    limitTime(responseWithinMs, () => server.server.closeAllConnections());
    done();
  });
}

function parserError(error: NodeJS.ErrnoException): ErrorName {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 'headerTooLarge';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'requestTimeout';
    default:
      return 'malformedRequest';
  }
}

/** A client that has its response may continue to send for this long, in ms. */
const lingerMs = 1_000;

/** `_httpMessage` is the response that Node.js sends next on this socket. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Writes a complete response, after those of earlier requests, and closes the connection. */
function sendOnSocket(socket: HttpSocket, error: RenderedError, requestId: string): void {
  const earlier = socket._httpMessage;
  if (earlier?.req.complete && socket.writable) {
    earlier.once('close', () => sendOnSocket(socket, error, requestId));
    return;
  }
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = error;
  const headers = {
    ...error.headers,
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    'cache-control': 'no-store',
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  closeSoon(socket);
}

/** Drains an ended socket for a while: one with unread bytes would be reset, and the client would lose its response. */
function closeSoon(socket: Socket): void {
  socket.resume();
  AbortSignal.timeout(lingerMs).addEventListener('abort', () => socket.destroy());
}
