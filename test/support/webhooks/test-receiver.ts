// A receiver of webhooks on a real socket that records its calls, with faults that a test injects.

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { listenOnLoopback } from '../loopback.ts';
import { testCertificate } from '../start/test-certificate.ts';

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
  readonly body: any;
  /** The webhook-id. */
  readonly id: string;
}

export type Reaction = (response: ServerResponse, received: Received) => void;

/** Responds with a status and an optional body. */
export const responding =
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Reaction =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** Keeps the connection open without a response. */
export const silent: Reaction = () => undefined;

export const resetting: Reaction = (response) => {
  response.socket?.resetAndDestroy();
};

/** Sends a status at once, and then an endless body byte by byte. */
export const dripping: Reaction = (response) => {
  response.writeHead(200);
  let dripped = 0;
  const drip = (): void => {
    dripped += 1;
    if (dripped < drippedMax && !response.destroyed) response.write('.', () => setImmediate(drip));
  };
  drip();
};

/** Far below the maximum size of a response. */
const drippedMax = 500;

export interface TestReceiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** All calls in order. */
  readonly received: readonly Received[];
  /** `nth` counts the calls of the same webhook-id from 1. */
  react(by: (received: Received, nth: number) => Reaction): void;
  /** Closes idle connections. */
  closeIdle(): void;
}

export async function startTestReceiver(
  options: { readonly tls?: true; readonly host?: string } = {},
): Promise<TestReceiver> {
  const { host = '127.0.0.1' } = options;
  const received: Received[] = [];
  const counts = new Map<string, number>();
  let react = (_: Received, _nth: number): Reaction => responding(204);
  const listener: RequestListener = (request, response) => {
    readCall(request).then((call) => {
      received.push(call);
      const nth = (counts.get(call.id) ?? 0) + 1;
      counts.set(call.id, nth);
      react(call, nth)(response, call);
    }, ignoreAborted);
  };
  const server = options.tls ? createTlsServer(testCertificate, listener) : createServer(listener);
  const { port, [Symbol.asyncDispose]: close } = await listenOnLoopback(server, host);
  return {
    url: `${options.tls ? 'https' : 'http'}://${host}:${port}/hooks`,
    port,
    received,
    react(by) {
      react = by;
    },
    closeIdle: () => server.closeIdleConnections(),
    [Symbol.asyncDispose]: close,
  };
}

/** An incomplete call of a killed sender is ignored. */
function ignoreAborted(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ECONNRESET') throw error;
}

async function readCall(request: IncomingMessage): Promise<Received> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const headers = request.headers as Record<string, string>;
  return {
    path: request.url ?? '',
    headers,
    text,
    body: text.startsWith('{') ? JSON.parse(text) : undefined,
    id: headers['webhook-id'] ?? '',
  };
}
