// Sends bytes on a new socket, and reads the response until the server closes the connection.

import { connect } from 'node:net';
import type { HostileRequest } from './hostile-requests.ts';

/** Far longer than any exchange takes on a busy machine, in ms. */
const exchangeMaxMs = 120_000;

export interface Exchange {
  /** In Latin-1. */
  readonly received: string;
  readonly ended: 'closed' | 'reset' | 'hung';
}

export function exchange(
  url: string,
  { bytes, cuts, end }: Omit<HostileRequest, 'listener'>,
): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let received = '';
    let ended: Exchange['ended'] = 'closed';
    socket.setEncoding('latin1');
    socket.setTimeout(exchangeMaxMs, () => {
      ended = 'hung';
      socket.destroy();
    });
    socket.on('data', (text: string) => {
      received += text;
    });
    // ECONNRESET or EPIPE: the server closed the connection while bytes were in flight.
    socket.on('error', () => {
      ended = 'reset';
    });
    socket.on('close', () => resolve({ received, ended }));
    const pieces = piecesOf(bytes, cuts);
    const send = () => {
      const piece = pieces.shift();
      if (piece === undefined) {
        if (end === 'abandon') socket.resetAndDestroy();
        else socket.end();
        return;
      }
      if (socket.writable) socket.write(piece, 'latin1', () => setImmediate(send));
    };
    socket.on('connect', send);
  });
}

function piecesOf(bytes: string, cuts: readonly number[]): string[] {
  const places = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort(
    (a, b) => a - b,
  );
  return places.slice(1).map((place, index) => bytes.slice(places[index], place));
}
