// Responds on the socket to what Node.js rejects before there is a request, and closes the connection
// (docs/decisions/errors.md).

import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorName } from '@opentill/contract/errors.ts';
import type { RenderedError } from '../error-response.ts';

export function parserError(error: NodeJS.ErrnoException): ErrorName {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 'headerTooLarge';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'requestTimeout';
    default:
      return 'malformedRequest';
  }
}

/** A client that has its response may continue to send for this long, in ms. */
const lingerMs = 1_000;

/** `_httpMessage` is the response that Node.js sends next on this socket. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Writes a complete response, after those of earlier requests, and closes the connection. */
export function sendOnSocket(socket: HttpSocket, error: RenderedError, requestId: string): void {
  const earlier = socket._httpMessage;
  if (earlier?.req.complete && socket.writable) {
    earlier.once('close', () => sendOnSocket(socket, error, requestId));
    return;
  }
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = error;
  const headers = {
    ...error.headers,
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    'cache-control': 'no-store',
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  closeSoon(socket);
}

/** Drains an ended socket for a while: one with unread bytes would be reset, and the client would lose its response. */
export function closeSoon(socket: Socket): void {
  socket.resume();
  AbortSignal.timeout(lingerMs).addEventListener('abort', () => socket.destroy());
}
