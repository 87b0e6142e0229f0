// A real server behind a proxy in which one fault can be planted. One server serves all tests of a file.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import {
  createTestApp,
  startTestServer,
  type TestApp,
  type TestServer,
  type TestServerOptions,
} from '../../../test/support/harness.ts';
import { sendRequest } from '../../../test/support/http/sent-request.ts';
import { listenOnLoopback } from '../../../test/support/loopback.ts';
import { setClientSecret } from '../../../test/support/stage.ts';
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
}

type Respond = (seen: Seen) => Promise<Reply>;

/** Changes a call or the server's response; undefined cuts the connection. */
export type Fault = (seen: Seen, respond: Respond) => Reply | undefined | Promise<Reply | undefined>;

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
  let fault: Fault | undefined;
  const calls: Seen[] = [];
  const respond: Respond = (seen) => forward(server.publicUrl, seen);
  const listener = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = incoming;
    const seen = { method, path, headers, body: await text(incoming) };
    calls.push(seen);
    const reply = await (fault === undefined ? respond(seen) : fault(seen, respond));
    if (reply === undefined) {
      incoming.socket.destroy();
      return;
    }
    const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(body);
  };
  const proxy = await listenOnLoopback(tls ? createTlsServer(tls, listener) : createServer(listener));
  const origin = `${tls ? 'https' : 'http'}://127.0.0.1:${proxy.port}`;
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
      await proxy[Symbol.asyncDispose]();
      await server.stop();
    },
  };
}

/** Headers of one connection, which are not forwarded. */
const ofConnection = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'host']);

const forwarded = (headers: Iterable<[string, unknown]>): Record<string, string> =>
  Object.fromEntries(
    [...headers].flatMap(([name, value]) => (ofConnection.has(name) ? [] : [[name, `${value}`]])),
  );

async function forward(host: string, { headers, ...seen }: Seen): Promise<Reply> {
  const response = await sendRequest(host, { ...seen, headers: forwarded(Object.entries(headers)) });
  return {
    status: response.status,
    headers: forwarded(response.headers),
    body: response.body ?? response.text,
  };
}
