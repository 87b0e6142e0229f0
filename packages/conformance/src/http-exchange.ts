// Calls as they go over the wire: no header is added or mended, no redirect is followed, and everything has a
// limit. Knows nothing of the purchase API.

import {
  Agent as HttpAgent,
  type IncomingMessage,
  type RequestOptions,
  request as sendHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as sendHttps } from 'node:https';
import type { Answer } from './answer.ts';

/** More than a page of 999 voided purchases takes; what is longer is no answer of this API. */
const answerBytesMax = 1_048_576;

export interface HttpCall {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The call was given no answer: it was cut, took too long, or nobody was there. */
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
  /** Certificates (PEM) to trust in place of those of the machine. */
  readonly ca?: string | undefined;
  readonly callTimeoutMs: number;
  /** Ends whatever is under way. */
  readonly signal: AbortSignal;
}

export interface Exchange extends Disposable {
  /** @throws NoAnswer, and the reason of the signal once that is given. */
  send(call: HttpCall): Promise<Answer>;
}

export function openExchange(options: ExchangeOptions): Exchange {
  const { protocol } = new URL(options.origin);
  const tls = options.ca === undefined ? {} : { ca: options.ca };
  const isTls = protocol === 'https:';
  const agent = isTls ? new HttpsAgent({ keepAlive: true, ...tls }) : new HttpAgent({ keepAlive: true });
  const send = isTls ? sendHttps : sendHttp;
  const sendOnce = (call: HttpCall): Promise<Answer> => {
    // What may change something goes on a connection of its own: a kept one may close under it, and nobody
    // would know whether the call was carried out.
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

/** The server closed a kept connection as the next call was written to it. */
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
      const because = deadline.aborted ? `nothing within ${callTimeoutMs} ms` : error.message;
      const message = `${call} got no answer: ${because}.`;
      const isStale = !hasBegun && sent.reusedSocket && error.code === 'ECONNRESET';
      reject(new (isStale ? StaleConnection : NoAnswer)(message, isReached, { cause: error }));
    };
    sent.on('error', fail);
    // Also without an error or an answer: when the server wants to speak another protocol (101).
    sent.on('close', () => {
      if (!hasBegun) fail(new Error('the connection ended without one'));
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
    if (size > answerBytesMax) throw new Error(`it is longer than ${answerBytesMax} bytes`);
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

/** JSON is told by what comes, since only the token endpoint's Content-Type is specified. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
