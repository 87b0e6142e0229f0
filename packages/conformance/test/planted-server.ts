// A real server behind a proxy in which one fault can be planted. One server serves all tests of a file.

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  createTestApp,
  startTestServer,
  type TestApp,
  type TestServer,
  type TestServerOptions,
} from '../../server/test/harness.ts';
import { setClientSecret } from '../../server/test/stage.ts';
import type { ConformanceTarget } from '../src/target.ts';

export interface Seen {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  /** In addition to the Content-Type of JSON. */
  readonly headers?: IncomingHttpHeaders;
  /** A string, or a value that is sent as JSON. */
  readonly body: unknown;
  /** Cuts the connection after the body, although Content-Length announced more. */
  readonly breaksOff?: true;
}

type Answer = (seen: Seen) => Promise<Reply>;

/** Changes a call or the server's response; undefined cuts the connection. */
export type Fault = (seen: Seen, answer: Answer) => Reply | undefined | Promise<Reply | undefined>;

export const failed = (code: number, message = 'Refused.'): Reply => ({
  status: code === 401 ? 401 : 400,
  body: { error: { code, message } },
});
export const done = (body: unknown): Reply => ({ status: 200, body });

export interface PlantedServer extends AsyncDisposable {
  readonly origin: string;
  readonly server: TestServer;
  readonly app: TestApp;
  /** The server as a target, with only the credentials of the app. */
  readonly target: ConformanceTarget;
  /** Replaces the fault, or removes it, and forgets the calls so far. */
  plant(fault?: Fault): void;
  readonly calls: readonly Seen[];
}

/** A secret whose characters have to be encoded in a form. */
const clientSecret = 'top+secret/of the=app&more%20';

export async function startPlantedServer({
  tls,
  ...options
}: TestServerOptions & {
  readonly tls?: { readonly cert: string; readonly key: string };
} = {}): Promise<PlantedServer> {
  const server = await startTestServer(options);
  const created = await createTestApp(server);
  await setClientSecret(server, created, clientSecret);
  const app = { ...created, clientSecret };
  const upstream = new URL(server.publicUrl);
  let fault: Fault | undefined;
  const calls: Seen[] = [];
  const answer: Answer = (seen) => forward(upstream, seen);
  const listener = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = incoming;
    const seen = { method, path, headers, body: await text(incoming) };
    calls.push(seen);
    const reply = await (fault === undefined ? answer(seen) : fault(seen, answer));
    if (reply === undefined) {
      incoming.socket.destroy();
      return;
    }
    const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    const sent = { 'content-type': 'application/json', ...reply.headers };
    if (reply.breaksOff === true) {
      response.writeHead(reply.status, { ...sent, 'content-length': Buffer.byteLength(body) + 1 });
      response.write(body, () => incoming.socket.resetAndDestroy());
      return;
    }
    response.writeHead(reply.status, sent).end(body);
  };
  const proxy = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const origin = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const { packageName, clientId } = app;
  return {
    origin,
    server,
    app,
    target: { origin, packageName, clientId, clientSecret },
    calls,
    plant: (next) => {
      fault = next;
      calls.length = 0;
    },
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await server.stop();
    },
  };
}

/** Headers of one connection, which are not forwarded. */
const ofConnection = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'host']);

const forwarded = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)));

function forward({ hostname, port }: URL, { method, path, headers, body }: Seen): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path, headers: forwarded(headers) }, (response) => {
      text(response).then((received) => {
        const isJson = /json/.test(response.headers['content-type'] ?? '');
        resolve({
          status: response.statusCode ?? 0,
          headers: forwarded(response.headers),
          body: isJson ? JSON.parse(received) : received,
        });
      }, reject);
    });
    outgoing.on('error', reject).end(body);
  });
}
