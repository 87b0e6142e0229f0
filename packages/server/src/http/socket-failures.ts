// What Node's HTTP parser refuses before there is a request: answered on the socket itself, which is then
// closed (design.md, section 3, "Errors").

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type FailureName, failures } from '@opentill/contract/failures.ts';
import { failureBody, failureHeaders, jsonContentType } from './failure-response.ts';

export function parserFailure(error: NodeJS.ErrnoException): FailureName {
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

/** Writes a whole answer and closes; a socket that the caller has left already is only closed. */
export function refuseOnSocket(socket: Socket, failure: FailureName, requestId: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { httpStatus } = failures[failure];
  const body = failureBody(failure);
  const headers = {
    'content-type': jsonContentType,
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    'cache-control': 'no-store',
    ...failureHeaders(failure),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}
