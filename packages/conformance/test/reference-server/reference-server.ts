// A correct server in which one fault can be planted. One server serves all tests of a file; planting a fault, or none,
// starts with a new till.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ConformanceTarget } from '../../src/target.ts';
import { answerPurchaseApi, failed, type Reply, type Seen } from './answers.ts';
import { answerSandboxApi } from './sandbox-answers.ts';
import { app, Till } from './till.ts';

/** Changes a call or its correct response; undefined cuts the connection. */
export type Fault = (
  seen: Seen,
  answer: (seen: Seen) => Reply,
  till: Till,
) => Reply | undefined | Promise<Reply | undefined>;

export interface ReferenceServer extends AsyncDisposable {
  readonly origin: string;
  /** Replaces the till by a new one, and plants this fault. */
  plant(fault?: Fault): Till;
  /** The calls since then. */
  readonly calls: readonly Seen[];
}

export async function startReferenceServer(tls?: {
  readonly cert: string;
  readonly key: string;
}): Promise<ReferenceServer> {
  let till = new Till();
  let fault: Fault | undefined;
  const calls: Seen[] = [];
  const rightAnswer = (seen: Seen): Reply => {
    if (seen.path.startsWith('/v2/')) return answerPurchaseApi(till, seen);
    return seen.path.startsWith('/sandbox/v1/') ? answerSandboxApi(till, seen) : failed(9999);
  };
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const seen = await seenOf(request);
    calls.push(seen);
    const reply = await (fault === undefined ? rightAnswer(seen) : fault(seen, rightAnswer, till));
    if (reply === undefined) {
      request.socket.destroy();
      return;
    }
    const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    const headers = { 'content-type': 'application/json', ...reply.headers };
    if (reply.breaksOff === true) {
      response.writeHead(reply.status, { ...headers, 'content-length': Buffer.byteLength(body) + 1 });
      response.write(body, () => request.socket.resetAndDestroy());
      return;
    }
    response.writeHead(reply.status, headers).end(body);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    calls,
    plant: (next) => {
      till = new Till();
      fault = next;
      calls.length = 0;
      return till;
    },
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function seenOf(request: IncomingMessage): Promise<Seen> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  return {
    method: request.method ?? '',
    path: pathname,
    query: searchParams,
    headers: request.headers as Record<string, string>,
    body: await text(request),
  };
}

/** The server as a target, with only its credentials. */
export function targetOf({ origin }: ReferenceServer): ConformanceTarget {
  return { origin, ...app };
}
