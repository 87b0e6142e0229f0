// A receiver of webhooks on loopback that answers at once and keeps when each event came for the first time, and
// one that takes connections and never answers.

import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { listenOnLoopback } from '../test/loopback.ts';

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
  const { port, [Symbol.asyncDispose]: close } = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}/`, arrivals, [Symbol.asyncDispose]: close };
}

/** Takes connections, and that is all. */
export async function startSilentReceiver(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createTcpServer((socket) => void socket.resume().on('error', () => undefined));
  const { port, [Symbol.asyncDispose]: close } = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}/`, [Symbol.asyncDispose]: close };
}
