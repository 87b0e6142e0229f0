// Sends HTTP requests over kept connections. It follows no redirect, and a response is limited in time and in bytes.

import type { LookupFunction, Socket } from 'node:net';
import { Agent, buildConnector, errors, request } from 'undici';
import { limitTime } from './pause.ts';

/**
 * Why there is no whole response. Of a request that is `notConnected` nothing was sent; in all other cases the server may
 * have received it. An error has a code if the system or undici reports one.
 */
export type HttpFailure =
  | { readonly kind: 'timedOut' | 'aborted' }
  | { readonly kind: 'malformed' | 'connectionLost' | 'notConnected'; readonly error: Error };

export interface HttpResponse {
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

const agentOptions = {
  // One limit covers the whole exchange.
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 16_384,
  /** An idle connection is closed after this time, in ms, or as its server asks, up to the second value. */
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 5_000,
} as const satisfies Agent.Options;

/** Requests to any number of origins. */
export class OutgoingHttp implements Disposable {
  readonly #limits: HttpLimits;
  readonly #agent: Agent;
  readonly #closed = new AbortController();

  constructor(limits: HttpLimits, { onConnected, ...options }: HttpConnections = {}) {
    this.#limits = limits;
    // The connector returns its socket, which its type does not say.
    const connect = buildConnector({
      ...options,
      timeout: limits.withinMs,
    } as buildConnector.BuildOptions) as (...args: Parameters<buildConnector.connector>) => Socket;
    this.#agent = new Agent({
      ...agentOptions,
      connect(target, callback) {
        const socket = connect(target, callback);
        socket.prependOnceListener('connect', () => onConnected?.(socket));
      },
    });
  }

  async send({ url, signal, ...sent }: HttpRequest): Promise<HttpResponse> {
    const late = new AbortController();
    const liftLimit = limitTime(this.#limits.withinMs, () => late.abort());
    const signals = [late.signal, this.#closed.signal, ...(signal === undefined ? [] : [signal])];
    const over = AbortSignal.any(signals);
    const received: Received = { status: undefined, location: undefined, body: [], bytes: 0 };
    const exchange = this.#receive(url, { ...sent, signal: over }, received);
    const aborted = Promise.withResolvers<undefined>();
    const onAbort = (): void => aborted.resolve(undefined);
    over.addEventListener('abort', onAbort);
    if (over.aborted) onAbort();
    try {
      // undici ends a request that is not connected yet only when its connection attempt is over.
      const end = await Promise.race([exchange.catch(failureOf), aborted.promise]);
      const cut = { kind: late.signal.aborted ? 'timedOut' : 'aborted' } as const;
      const { status, location, body, bytes } = received;
      return {
        status,
        location,
        body: Buffer.concat(body),
        isTooLarge: bytes > this.#limits.bodyBytesMax,
        failure: over.aborted ? cut : end,
      };
    } finally {
      liftLimit();
      // While a combined signal has a listener, Node keeps it as long as its sources, here until close().
      over.removeEventListener('abort', onAbort);
    }
  }

  async #receive(url: URL, options: Omit<HttpRequest, 'url'>, received: Received): Promise<undefined> {
    const { bodyBytesMax, keptBytesMax = bodyBytesMax } = this.#limits;
    const { statusCode, headers, body } = await request(url, {
      ...options,
      dispatcher: this.#agent,
    } as RequestOptions);
    received.status = statusCode;
    received.location = [headers['location']].flat()[0];
    // Leaving the loop early closes the connection.
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (received.bytes < keptBytesMax) received.body.push(chunk);
      received.bytes += chunk.length;
      if (received.bytes > bodyBytesMax) break;
    }
  }

  /** Aborts the requests in flight and those that follow, and closes all connections. */
  close(): void {
    this.#closed.abort();
    this.#agent.destroy().catch(() => undefined);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

type RequestOptions = NonNullable<Parameters<typeof request>[1]>;

interface Received {
  status: number | undefined;
  location: string | undefined;
  readonly body: Buffer[];
  bytes: number;
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

function failureOf(error: Error): HttpFailure {
  const { code = '' } = error as NodeJS.ErrnoException;
  const isMalformed = error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
  if (malformedMessages.has(error.message)) return { kind: 'malformed', error };
  if (lostCodes.has(code)) return { kind: 'connectionLost', error };
  return { kind: isMalformed ? 'malformed' : 'notConnected', error };
}
