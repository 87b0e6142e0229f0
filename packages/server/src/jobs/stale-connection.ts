// A kept connection that ends just as the next call is written to it: the other side had closed it meanwhile, which
// says nothing about the call.

import type { ClientRequest } from 'node:http';

const lostCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

/** Whether a connection broke off. */
export function isLost(error: Error): boolean {
  return lostCodes.has((error as NodeJS.ErrnoException).code);
}

/** Of a call to which no answer has begun: whether it may go out once more, on a connection of its own. */
export function isStale(call: ClientRequest, error: Error): boolean {
  return call.reusedSocket && isLost(error);
}
