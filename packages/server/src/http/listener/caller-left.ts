// Detects clients that have left before their response. Fastify's request.signal does not: the listener keeps half-open
// connections, so a client that disconnects only ends its side.

import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Aborted when the connection is closed, or when the caller has sent all it will send: most who leave do just
 * that, and one who still waits is answered at once.
 */
export function callerLeft(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const left = new AbortController();
  const { socket } = request.raw;
  const leave = (): void => left.abort();
  if (socket.readableEnded) leave();
  socket.once('end', leave);
  reply.raw.once('close', () => {
    socket.off('end', leave);
    leave();
  });
  return left.signal;
}
