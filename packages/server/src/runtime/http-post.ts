// Sends POST requests over kept connections. It follows no redirect, and a response is limited in time and in bytes.

import type { LookupFunction, Socket } from 'node:net';
import { Agent, buildConnector, Client, type Dispatcher, errors, Pool } from 'undici';
import { AnswerDeadline } from './answer-deadline.ts';

/** Why there is no whole response. An error has a code if the system or undici reports one. */
export type PostFailure =
  | { readonly kind: 'timedOut' | 'aborted' }
  | { readonly kind: 'malformed' | 'connectionLost' | 'notConnected'; readonly error: Error };

export interface PostResult {
  /** undefined: no response headers were received. */
  readonly status: number | undefined;
  /** The chunks of the body up to the one that reaches `keptBytesMax`. */
  readonly body: Buffer;
  /** The body has more than `bodyBytesMax` bytes; its connection is closed. */
  readonly isTooLarge: boolean;
  readonly failure: PostFailure | undefined;
}

interface PostLimits {
  /** From the start of a request, including name lookup and connecting, to the end of its response, ms. */
  readonly withinMs: number;
  readonly bodyBytesMax: number;
  readonly keptBytesMax: number;
}

interface PostRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal | undefined;
}

interface HttpPostSettings extends PostLimits {
  readonly lookup?: LookupFunction;
  /** PEM; replaces the certificate authorities that the process trusts. */
  readonly ca?: string;
  /** Called when a socket is connected and before any byte is sent; it may destroy the socket. */
  readonly onConnected?: (socket: Socket) => void;
}

/** Informational responses (103 Early Hints) to one request; a server that sends more is cut off. */
const informationalMax = 10;

/** An idle connection is closed after this time, in ms, or as its server asks, up to the second value. */
const idleMs = 4_000;
const idleMsMax = 5_000;

const headerBytesMax = 16_384;

/** Posts to any number of origins. A request may arrive twice, so it needs a key that identifies it. */
export class HttpPost {
  readonly #limits: PostLimits;
  readonly #kept: Agent;
  /** Opens a connection for each request. */
  readonly #single: Agent;
  readonly #deadline: AnswerDeadline<Exchange>;
  readonly #inFlight = new Set<Exchange>();
  #isClosed = false;

  constructor(settings: HttpPostSettings) {
    const { withinMs } = settings;
    this.#limits = settings;
    this.#deadline = new AnswerDeadline(withinMs, (exchange) => exchange.end({ kind: 'timedOut' }));
    const connect = connectorOf(settings);
    const options: Agent.Options = {
      factory: (origin, poolOptions) =>
        new Pool(origin, {
          ...poolOptions,
          factory: (url, clientOptions) => new TrackedClient(url, clientOptions, connect),
        }),
      // One deadline covers the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: headerBytesMax,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMsMax,
    };
    this.#kept = new Agent(options);
    this.#single = new Agent({ ...options, pipelining: 0 });
  }

  async post({ url, headers, body, signal }: PostRequest): Promise<PostResult> {
    const path = `${url.pathname}${url.search}`;
    const request = { origin: url.origin, path, method: 'POST', headers, body };
    const send = (agent: Agent): void => {
      agent.dispatch(
        { ...request, onConnection: (connection) => exchange.use(connection) } as PostOptions,
        exchange,
      );
    };
    const exchange = new Exchange(this.#limits, () => send(this.#single));
    const wait = this.#deadline.begin(exchange);
    const abort = (): void => exchange.end({ kind: 'aborted' });
    signal?.addEventListener('abort', abort);
    this.#inFlight.add(exchange);
    try {
      if (this.#isClosed || signal?.aborted === true) abort();
      else send(this.#kept);
      return await exchange.result;
    } finally {
      this.#inFlight.delete(exchange);
      signal?.removeEventListener('abort', abort);
      wait.answered();
    }
  }

  /** Aborts the requests in flight and those that follow, and closes all connections. */
  close(): void {
    this.#isClosed = true;
    for (const exchange of this.#inFlight) exchange.end({ kind: 'aborted' });
    for (const agent of [this.#kept, this.#single]) agent.destroy().catch(() => undefined);
  }
}

type Connect = (...args: Parameters<buildConnector.connector>) => Socket;

function connectorOf({ withinMs, lookup, ca, onConnected }: HttpPostSettings): Connect {
  // The connector returns its socket, which its type does not say.
  const connect = buildConnector({
    timeout: withinMs,
    ...(lookup !== undefined && { lookup }),
    ...(ca !== undefined && { ca }),
  }) as unknown as Connect;
  return (options, callback) => {
    const socket = connect(options, callback);
    socket.prependOnceListener('connect', () => onConnected?.(socket));
    return socket;
  };
}

interface Connection {
  socket: Socket | undefined;
  /** Of the current socket. */
  responses: number;
}

interface PostOptions extends Dispatcher.DispatchOptions {
  readonly onConnection: (connection: Connection) => void;
}

/**
 * Shows a request the socket that it is sent over. Aborting a request the way undici offers makes its client connect
 * again for nothing (7.30); destroying the socket does not.
 */
class TrackedClient extends Client {
  readonly #connection: Connection;

  constructor(origin: URL, options: object, connect: Connect) {
    const connection: Connection = { socket: undefined, responses: 0 };
    super(origin, {
      ...options,
      connect: (target, callback) => {
        connection.responses = 0;
        connection.socket = connect(target, callback);
      },
    });
    this.#connection = connection;
  }

  override dispatch(options: PostOptions, handler: Dispatcher.DispatchHandler): boolean {
    options.onConnection(this.#connection);
    return super.dispatch(options, handler);
  }
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: PostLimits;
  /** Sends the request again on a new connection. */
  readonly #retry: () => void;
  readonly #settled = Promise.withResolvers<PostResult>();
  readonly #body: Buffer[] = [];
  #connection: Connection | undefined;
  #isOver = false;
  #isRetried = false;
  #status: number | undefined;
  #bytes = 0;
  #informational = 0;

  constructor(limits: PostLimits, retry: () => void) {
    this.#limits = limits;
    this.#retry = retry;
  }

  get result(): Promise<PostResult> {
    return this.#settled.promise;
  }

  /** The first end counts; one before the end of the response closes the connection. */
  end(failure: PostFailure | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const body = Buffer.concat(this.#body);
    const isTooLarge = this.#bytes > this.#limits.bodyBytesMax;
    this.#settled.resolve({ status: this.#status, body, isTooLarge, failure });
    if (failure !== undefined || isTooLarge) this.#connection?.socket?.destroy(new ExchangeOver());
  }

  use(connection: Connection): void {
    this.#connection = connection;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) controller.abort(new ExchangeOver());
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (status >= 200) {
      this.#status = status;
      return;
    }
    this.#informational += 1;
    if (this.#informational > informationalMax) {
      this.end({ kind: 'malformed', error: new Error('too many informational responses') });
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes < this.#limits.keptBytesMax) this.#body.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.bodyBytesMax) this.end(undefined);
  }

  onResponseEnd(): void {
    if (this.#connection !== undefined) this.#connection.responses += 1;
    this.end(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver) return;
    const kind = failureKindOf(error);
    // The server closed a kept connection at the moment of its next use, which says nothing about the request.
    const isStale =
      kind === 'connectionLost' && this.#status === undefined && this.#connection?.responses !== 0;
    if (!isStale || this.#isRetried) {
      this.end({ kind, error });
      return;
    }
    this.#isRetried = true;
    this.#retry();
  }
}

class ExchangeOver extends Error {
  override readonly name = 'ExchangeOver';
}

/** undici gives these the code of a lost connection. */
const malformedMessages: ReadonlySet<string> = new Set(['bad response', 'bad upgrade']);

const lostCodes: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'HPE_INVALID_EOF_STATE',
]);

function failureKindOf(error: Error): 'malformed' | 'connectionLost' | 'notConnected' {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (malformedMessages.has(error.message)) return 'malformed';
  if (lostCodes.has(code)) return 'connectionLost';
  const isMalformed = error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
  return isMalformed ? 'malformed' : 'notConnected';
}
