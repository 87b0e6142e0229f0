// A server that sends any bytes, valid HTTP or not.

import { createServer, type Socket } from 'node:net';
import { listenOnLoopback } from '../loopback.ts';

export interface RawServer extends AsyncDisposable {
  readonly url: string;
  readonly sockets: readonly Socket[];
  /** Sets what happens on the connection of each complete request. */
  speak(by: (socket: Socket) => void): void;
}

export async function startRawServer(): Promise<RawServer> {
  const sockets: Socket[] = [];
  const state = { speak: (socket: Socket): void => void socket.destroy() };
  const server = createServer((socket) => {
    sockets.push(socket);
    let text = '';
    // Connections are cut on purpose, which must not fail the test.
    socket.on('error', () => undefined);
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
      const body = text.split('\r\n\r\n')[1];
      if (body === undefined || Buffer.byteLength(body) < length) return;
      text = '';
      state.speak(socket);
    });
  });
  const { port, [Symbol.asyncDispose]: close } = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    sockets,
    speak(by) {
      state.speak = by;
    },
    [Symbol.asyncDispose]: close,
  };
}

/** A complete HTTP response. */
export function responseText(body: string, { status = '200 OK', headers = '' } = {}): string {
  return `HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}
