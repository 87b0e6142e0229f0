// A receiver of webhooks on loopback that answers at once and keeps when each event came for the first time, and
// one that takes connections and never answers.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

export interface CountingReceiver extends AsyncDisposable {
  readonly url: string;
  /** By package name and order, an instant of performance.now(). */
  readonly arrivals: ReadonlyMap<string, number>;
}

export function keyOf(packageName: string, order: number): string {
  return `${packageName} ${order}`;
}

const shape = /"order":(\d+),.*"packageName":"([^"]+)"/;

export async function startCountingReceiver(): Promise<CountingReceiver> {
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const [, order, packageName = ''] = shape.exec(body) ?? [];
      const key = keyOf(packageName, Number(order));
      if (!arrivals.has(key)) arrivals.set(key, performance.now());
      response.writeHead(204).end();
    });
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    arrivals,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Takes connections, and that is all. */
export async function startSilentReceiver(): Promise<AsyncDisposable & { readonly url: string }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.resume());
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
