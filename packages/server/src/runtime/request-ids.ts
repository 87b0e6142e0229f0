// Request ids: short, unique across restarts and servers, and cheap.

import type { Randomness } from './randomness.ts';

/** A function that gives the next id: a random part for the process, then a count. */
export function requestIds(randomness: Randomness): () => string {
  const process = randomness.bytes(6).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${process}-${count.toString(36)}`;
  };
}
