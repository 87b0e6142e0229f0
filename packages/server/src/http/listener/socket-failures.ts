// What Node's HTTP parser refuses before there is a request: answered on the socket itself, which is then
// closed (docs/decisions/errors.md).

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

/** Whoever has been answered may go on sending for so long, in ms: then the socket is cut off. */
const lingerMs = 1_000;

/** What Node is about to answer on a socket: the first of the calls that it has taken from it. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/**
 * Writes a whole answer and closes, once the calls before have been answered; a socket that the caller has
 * left already is only closed.
 */
export function refuseOnSocket(socket: HttpSocket, refusal: RenderedError, requestId: string): void {
  const before = socket._httpMessage;
  if (before?.req.complete && socket.writable) {
    before.once('close', () => refuseOnSocket(socket, refusal, requestId));
    return;
  }
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = refusal;
  const headers = {
    ...refusal.headers,
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    'cache-control': 'no-store',
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  cutOffSoon(socket);
}

/**
 * For a socket that has been ended. What still comes is read past, so that the end of it is seen: a socket with
 * unread bytes would be reset, and its answer with it.
 */
export function cutOffSoon(socket: Socket): void {
  socket.resume();
  AbortSignal.timeout(lingerMs).addEventListener('abort', () => socket.destroy());
}
