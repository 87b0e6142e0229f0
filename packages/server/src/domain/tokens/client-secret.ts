// The secret with which an app requests tokens (docs/decisions/access.md). Only its hash is stored; with 256 random
// bits, a plain SHA-256 cannot be reversed by search.

import { hash as hashOf, timingSafeEqual } from 'node:crypto';

export const clientSecretBytes = 32;

/** A secret that is, or was, valid for an app. */
interface ClientSecretCandidate {
  readonly hash: Buffer;
  /** The instant (ms) at which the secret expires; null for the current secret. */
  readonly validUntil: number | null;
}

/** A client secret that a developer sent to change credentials. */
export interface SentSecret {
  readonly secret: string;
  /** `previous`: after a rotation it gets tokens for a while. */
  readonly rating: 'newest' | 'previous' | 'wrong';
}

/** Encodes 32 random bytes for the developer in base64url, which is safe in a form body. */
export function encodeClientSecret(bytes: Buffer): string {
  if (bytes.length !== clientSecretBytes)
    throw new RangeError(`A client secret has ${clientSecretBytes} bytes.`);
  return bytes.toString('base64url');
}

/** The SHA-256 hash that is stored and compared. */
export function hashClientSecret(secret: string): Buffer {
  return hashOf('sha256', secret, 'buffer');
}

/**
 * Compares the secret as it was sent, and if it does not match, again with a "+" for each space: an unencoded "+" is a
 * space in a form.
 */
export function isClientSecret(
  secret: string,
  candidates: readonly ClientSecretCandidate[],
  now: number,
): boolean {
  if (isAmong(candidates, secret, now)) return true;
  return secret.includes(' ') && isAmong(candidates, secret.replaceAll(' ', '+'), now);
}

/** Whether it is the secret with this hash, with the same tolerance. */
export function isNewestClientSecret(secret: string, hash: Buffer): boolean {
  return isClientSecret(secret, [{ hash, validUntil: null }], 0);
}

/** Compares every candidate in constant time, so that the duration does not reveal which one matches. */
function isAmong(candidates: readonly ClientSecretCandidate[], secret: string, now: number): boolean {
  const hash = hashClientSecret(secret);
  let matches = false;
  for (const candidate of candidates) {
    const isEqual = timingSafeEqual(hash, candidate.hash);
    const isValid = candidate.validUntil === null || now < candidate.validUntil;
    matches = (isEqual && isValid) || matches;
  }
  return matches;
}
