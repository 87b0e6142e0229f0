// A receiver of webhooks on a real socket, seen from its own side: it keeps what came, and gets into whatever
// trouble a test wants.

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
  /** The sender's own port: the same for calls on one connection. */
  readonly remotePort: number;
}

/** What is done about a call; `release` ends whatever is still waiting. */
export type Reaction = (response: ServerResponse, received: Received) => void;

/** Answers with a status and perhaps a body. */
export const answering =
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Reaction =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** The connection stays open without a word. */
export const silent: Reaction = () => undefined;

export const resetting: Reaction = (response) => {
  response.socket?.resetAndDestroy();
};

/** A status at once, then a byte whenever the socket has taken the one before, and no end. */
export const dripping: Reaction = (response) => {
  response.writeHead(200);
  let dripped = 0;
  const drip = (): void => {
    dripped += 1;
    if (dripped < drippedMax && !response.destroyed) response.write('.', () => setImmediate(drip));
  };
  drip();
};

/** Far less than makes an answer too large. */
const drippedMax = 500;

export interface TestReceiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Every call, in order. */
  readonly received: readonly Received[];
  readonly connections: number;
  /** `nth` counts the calls of the same webhook-id from 1. */
  react(by: (received: Received, nth: number) => Reaction): void;
  /** Closes connections that nobody uses now. */
  closeIdle(): void;
}

export async function startTestReceiver(options: { readonly tls?: true } = {}): Promise<TestReceiver> {
  const received: Received[] = [];
  const counts = new Map<string, number>();
  const state = { connections: 0, react: (_: Received, _nth: number): Reaction => answering(204) };
  const listener: RequestListener = (request, response) => {
    readCall(request).then((call) => {
      received.push(call);
      const nth = (counts.get(call.id) ?? 0) + 1;
      counts.set(call.id, nth);
      state.react(call, nth)(response, call);
    }, ignoreAborted);
  };
  const server = options.tls ? createTlsServer(testCertificate, listener) : createServer(listener);
  server.on('connection', () => {
    state.connections += 1;
  });
  const { port, [Symbol.asyncDispose]: close } = await listenOnLoopback(server);
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}/hooks`,
    port,
    received,
    get connections() {
      return state.connections;
    },
    react(by) {
      state.react = by;
    },
    closeIdle: () => server.closeIdleConnections(),
    [Symbol.asyncDispose]: close,
  };
}

/** A sender that is killed in the midst of its call has made none. */
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
    remotePort: request.socket.remotePort ?? 0,
  };
}
