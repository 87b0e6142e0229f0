// The secret with which an app asks for a token (docs/decisions/access-tokens.md). Only its hash is stored: the
// secret has 256 random bits, so that a plain SHA-256 cannot be searched.

import { createHash, timingSafeEqual } from 'node:crypto';

const secretBytes = 32;

/** A secret that is, or was, valid for an app. */
interface ClientSecretCandidate {
  readonly hash: Buffer;
  /** The instant (ms) from which it counts no more; null while it is the app's current one. */
  readonly validUntil: number | null;
}

/** The text that the developer gets, once, from 32 random bytes: base64url, safe in a form body. */
export function encodeClientSecret(bytes: Buffer): string {
  if (bytes.length !== secretBytes) throw new RangeError(`A client secret has ${secretBytes} bytes.`);
  return bytes.toString('base64url');
}

/** SHA-256, 32 bytes: what is stored and compared. */
export function hashClientSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

/** Every candidate is compared, in constant time, so that the time tells nothing about which one fits. */
export function matchesClientSecret(
  secret: string,
  candidates: readonly ClientSecretCandidate[],
  now: number,
): boolean {
  const hash = hashClientSecret(secret);
  let matches = false;
  for (const candidate of candidates) {
    const isEqual = timingSafeEqual(hash, candidate.hash);
    const isValid = candidate.validUntil === null || now < candidate.validUntil;
    matches = (isEqual && isValid) || matches;
  }
  return matches;
}
