// The one place that draws random values. Everything else gets them as arguments.

import { randomBytes, randomInt } from 'node:crypto';

export interface Randomness {
  bytes(count: number): Buffer;
  /** `count` decimal digits, at most 14, each equally likely. */
  digits(count: number): string;
  /** A whole number from 0 to 2^32 - 1. */
  uint32(): number;
}

export const secureRandomness: Randomness = {
  bytes: (count) => randomBytes(count),
  // One draw: randomInt has no bias, and rejects more digits.
  digits: (count) => String(randomInt(10 ** count)).padStart(count, '0'),
  uint32: () => randomBytes(4).readUInt32BE(),
};

/** A name that no other holder of a lease has. */
export function leaseHolder(randomness: Randomness): string {
  return randomness.bytes(9).toString('base64url');
}

/** A function that gives the next id: a random part for the process, then a count. */
export function requestIds(randomness: Randomness): () => string {
  const process = randomness.bytes(6).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${process}-${count.toString(36)}`;
  };
}
