// Sends HTTP requests over kept connections. It follows no redirect, and a response is limited in time and in bytes.

import type { LookupFunction, Socket } from 'node:net';
import { Agent, buildConnector, Client, type Dispatcher, errors } from 'undici';
import { AnswerDeadline } from './answer-deadline.ts';

/**
 * Why there is no whole response. Of a request that is `notConnected` nothing was sent; in all other cases the server may
 * have received it. An error has a code if the system or undici reports one.
 */
export type HttpFailure =
  | { readonly kind: 'timedOut' | 'aborted' }
  | { readonly kind: 'malformed' | 'connectionLost' | 'notConnected'; readonly error: Error };

export interface HttpAnswer {
  /** undefined: no response headers were received. */
  readonly status: number | undefined;
  /** The Location of the response. */
  readonly location: string | undefined;
  /** The chunks of the body up to the one that reaches `keptBytesMax`. */
  readonly body: Buffer;
  /** The body has more than `bodyBytesMax` bytes; its connection is closed. */
  readonly isTooLarge: boolean;
  readonly failure: HttpFailure | undefined;
}

interface HttpLimits {
  /** From the start of a request, including name lookup and connecting, to the end of its response, ms. */
  readonly withinMs: number;
  readonly bodyBytesMax: number;
  /** By default the whole body is kept. */
  readonly keptBytesMax?: number;
}

interface HttpConnections {
  readonly lookup?: LookupFunction;
  /** PEM; replaces the certificate authorities that the process trusts. */
  readonly ca?: string | undefined;
  /** False to accept any certificate. */
  readonly rejectUnauthorized?: boolean;
  /** Called when a socket is connected and before any byte is sent; it may destroy the socket. */
  readonly onConnected?: (socket: Socket) => void;
}

interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Informational responses (103 Early Hints) to one request; a server that sends more is cut off. */
const informationalMax = 10;

const clientOptions = {
  // One deadline covers the whole exchange.
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 16_384,
  /** An idle connection is closed after this time, in ms, or as its server asks, up to the second value. */
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 5_000,
} as const satisfies Client.Options;

/** Requests to any number of origins. A request may arrive twice, so a POST needs a key that identifies it. */
export class OutgoingHttp implements Disposable {
  readonly #limits: HttpLimits;
  readonly #options: Client.Options;
  readonly #agent: Agent;
  readonly #deadline: AnswerDeadline<Exchange>;
  /** The exchange for which undici may open a connection now. */
  #starting: Exchange | undefined;
  #isClosed = false;

  constructor(limits: HttpLimits, connections: HttpConnections = {}) {
    this.#limits = limits;
    this.#options = { ...clientOptions, connect: this.#connector(connections) };
    this.#agent = new Agent(this.#options);
    this.#deadline = new AnswerDeadline(limits.withinMs, (exchange) => exchange.end({ kind: 'timedOut' }));
  }

  async send({ url, signal, ...sent }: HttpRequest): Promise<HttpAnswer> {
    const request = { ...sent, origin: url.origin, path: `${url.pathname}${url.search}` };
    const exchange = new Exchange(this.#limits, () => {
      const client = new Client(url.origin, this.#options);
      this.#start(exchange, client, request);
      exchange.answer.then(() => client.destroy()).catch(() => undefined);
    });
    const wait = this.#deadline.begin(exchange);
    const abort = (): void => exchange.end({ kind: 'aborted' });
    signal?.addEventListener('abort', abort);
    try {
      if (this.#isClosed || signal?.aborted === true) abort();
      else this.#start(exchange, this.#agent, request);
      return await exchange.answer;
    } finally {
      signal?.removeEventListener('abort', abort);
      wait.answered();
    }
  }

  /** Aborts the requests in flight and those that follow, and closes all connections. */
  close(): void {
    this.#isClosed = true;
    for (const exchange of this.#deadline.waiting()) exchange.end({ kind: 'aborted' });
    this.#agent.destroy().catch(() => undefined);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #start(exchange: Exchange, dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): void {
    this.#starting = exchange;
    dispatcher.dispatch(request, exchange);
    this.#starting = undefined;
  }

  #connector({ onConnected, ...options }: HttpConnections): buildConnector.connector {
    const { withinMs } = this.#limits;
    // The connector returns its socket, which its type does not say.
    const connect = buildConnector({ ...options, timeout: withinMs } as buildConnector.BuildOptions) as (
      ...args: Parameters<buildConnector.connector>
    ) => Socket;
    return (target, callback) => {
      // undici (7.30) connects again for a request that was aborted, and for one whose connection was closed just now.
      if (this.#starting === undefined) {
        callback(new ConnectionClosed(), null);
        return;
      }
      this.#starting.isConnectionKept = false;
      const socket = connect(target, callback);
      socket.prependOnceListener('connect', () => onConnected?.(socket));
    };
  }
}

class Exchange implements Dispatcher.DispatchHandler {
  /** Whether its connection was opened for an earlier request. */
  isConnectionKept = true;
  readonly #limits: HttpLimits;
  /** Sends the request again on a new connection. */
  readonly #retry: () => void;
  readonly #settled = Promise.withResolvers<HttpAnswer>();
  readonly #body: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #status: number | undefined;
  #location: string | undefined;
  #bytes = 0;
  #informational = 0;

  constructor(limits: HttpLimits, retry: () => void) {
    this.#limits = limits;
    this.#retry = retry;
  }

  get answer(): Promise<HttpAnswer> {
    return this.#settled.promise;
  }

  /** The first end counts; one before the end of the response closes the connection. */
  end(failure: HttpFailure | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const body = Buffer.concat(this.#body);
    const isTooLarge = this.#bytes > this.#limits.bodyBytesMax;
    const [status, location] = [this.#status, this.#location];
    this.#settled.resolve({ status, location, body, isTooLarge, failure });
    if (failure !== undefined || isTooLarge) this.#controller?.abort(new ConnectionClosed());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new ConnectionClosed());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    { location }: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status >= 200) {
      this.#status = status;
      this.#location = Array.isArray(location) ? location[0] : location;
      return;
    }
    this.#informational += 1;
    if (this.#informational > informationalMax) {
      this.end({ kind: 'malformed', error: new Error('too many informational responses') });
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { bodyBytesMax, keptBytesMax = bodyBytesMax } = this.#limits;
    if (this.#bytes < keptBytesMax) this.#body.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > bodyBytesMax) this.end(undefined);
  }

  onResponseEnd(): void {
    this.end(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver) return;
    const kind = failureKindOf(error);
    // The server closed a kept connection at the moment of its next use, which says nothing about the request.
    const isStale = kind === 'connectionLost' && this.#status === undefined && this.isConnectionKept;
    if (isStale) this.#retry();
    else this.end({ kind, error });
  }
}

class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed';
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
  if (lostCodes.has(code) || error instanceof ConnectionClosed) return 'connectionLost';
  const isMalformed = error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
  return isMalformed ? 'malformed' : 'notConnected';
}
