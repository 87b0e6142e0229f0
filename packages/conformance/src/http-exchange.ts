// Sends HTTP requests unchanged, without following redirects and with limits. Knows nothing of the purchase API.

import {
  Agent as HttpAgent,
  type IncomingMessage,
  type RequestOptions,
  request as sendHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as sendHttps } from 'node:https';
import type { Answer } from './answer.ts';

/** Longest response body; a page of 999 voided purchases is smaller. */
const answerBytesMax = 1_048_576;

export interface HttpCall {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The call got no response: the connection failed or closed, or the call timed out. */
export class NoAnswer extends Error {
  /** Whether the server was reached at all. */
  readonly isReached: boolean;

  constructor(message: string, isReached: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isReached = isReached;
  }
}

interface ExchangeOptions {
  readonly origin: string;
  /** PEM certificates to trust instead of those of the machine. */
  readonly ca?: string | undefined;
  readonly callTimeoutMs: number;
  /** Aborts calls in flight. */
  readonly signal: AbortSignal;
}

export interface Exchange extends Disposable {
  /** @throws NoAnswer, or the reason of the signal */
  send(call: HttpCall): Promise<Answer>;
}

export function openExchange(options: ExchangeOptions): Exchange {
  const { protocol } = new URL(options.origin);
  const tls = options.ca === undefined ? {} : { ca: options.ca };
  const isTls = protocol === 'https:';
  const agent = isTls ? new HttpsAgent({ keepAlive: true, ...tls }) : new HttpAgent({ keepAlive: true });
  const send = isTls ? sendHttps : sendHttp;
  const sendOnce = (call: HttpCall): Promise<Answer> => {
    // A call that may change something uses a new connection: if a reused one closed, it would be unknown whether the
    // call was executed.
    const connection = call.method === 'GET' ? { agent } : { agent: false, ...tls };
    const headers = {
      ...call.headers,
      ...(call.method !== 'GET' && { 'content-length': sizeOf(call.body) }),
    };
    return exchangeOnce(send, call, { ...options, connection: { ...connection, headers } });
  };
  return {
    send: (call) =>
      sendOnce(call).catch((error: unknown) => {
        if (error instanceof StaleConnection) return sendOnce(call);
        throw error;
      }),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** The server closed a reused connection while the call was being sent. */
class StaleConnection extends NoAnswer {}

function sizeOf(body = ''): string {
  return String(Buffer.byteLength(body));
}

function exchangeOnce(
  send: typeof sendHttp,
  { method, path, body }: HttpCall,
  { origin, callTimeoutMs, signal, connection }: ExchangeOptions & { readonly connection: RequestOptions },
): Promise<Answer> {
  const call = `${method} ${path}`;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]);
  return new Promise((resolve, reject) => {
    const sent = send(`${origin}${path}`, { ...connection, method, signal: deadline });
    let isReached = false;
    let hasBegun = false;
    sent.on('socket', (socket) => {
      isReached = !socket.connecting;
      const connected = origin.startsWith('https:') ? 'secureConnect' : 'connect';
      if (socket.connecting) {
        socket.once(connected, () => {
          isReached = true;
        });
      }
    });
    const fail = (error: NodeJS.ErrnoException): void => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const because = deadline.aborted ? `timeout after ${callTimeoutMs} ms` : error.message;
      const message = `${call} got no response: ${because}.`;
      const isStale = !hasBegun && sent.reusedSocket && error.code === 'ECONNRESET';
      reject(new (isStale ? StaleConnection : NoAnswer)(message, isReached, { cause: error }));
    };
    sent.on('error', fail);
    // A 101 response ends the exchange with neither an error nor a response.
    sent.on('close', () => {
      if (!hasBegun) fail(new Error('the connection closed without one'));
    });
    sent.on('response', (response) => {
      hasBegun = true;
      readText(response).then(
        (text) => resolve(answerOf(call, response, text)),
        (error: Error) => {
          sent.destroy();
          fail(error);
        },
      );
    });
    sent.end(body);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > answerBytesMax) throw new Error(`the body is longer than ${answerBytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function answerOf(call: string, response: IncomingMessage, text: string): Answer {
  const { statusCode = 0, headers } = response;
  return {
    call,
    status: statusCode,
    contentType: headers['content-type'],
    retryAfter: headers['retry-after'],
    text,
    body: parsed(text),
  };
}

/** Ignores Content-Type, which is specified only for the token endpoint. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
