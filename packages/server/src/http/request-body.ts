// Bodies where none belongs: many HTTP libraries post `{}`. They are read past, up to a limit.

import type { IncomingMessage } from 'node:http';

/** A body of any call, in bytes: the largest that has a use is a purchase record of a few kilobytes. */
export const bodyBytesMax = 65_536;

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Reads a body past; false as soon as it is larger than `bodyBytesMax`. */
export async function readPast(message: IncomingMessage): Promise<boolean> {
  if (Number(message.headers['content-length'] ?? 0) > bodyBytesMax) return false;
  let bytes = 0;
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > bodyBytesMax) return false;
  }
  return true;
}
