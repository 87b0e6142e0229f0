// Access tokens: 36 characters that are verified without the database (docs/decisions/access.md), and the rule for
// returning the newest token again (the specification, "Authentication"). It does not know which apps exist.

import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { sizes } from '@opentill/contract/fields.ts';
import { clockDifferenceSecondsMax } from '../clocks/clock-hold.ts';
import type { Environment } from '../identifiers.ts';

interface TokenKey {
  readonly id: number;
  /** Not its bytes, from which each MAC would create one: 35 microseconds instead of 6 (2026-11-26, Node.js 24.21). */
  readonly secret: KeyObject;
}

/** The first key of the setting signs, and all of them verify, so a key is rotated by prepending a new one. */
export interface TokenKeys {
  readonly signing: TokenKey;
  readonly byId: ReadonlyMap<number, TokenKey>;
}

/** A token has one byte for the key id. */
const keyIdMax = 255;
/** As long as the output of SHA-256: a shorter key would be the weakest part of the MAC. */
const keySecretBytesMin = 32;
/** A rotation needs two keys; this many are a mistake in the setting. */
const tokenKeysMax = 16;

const expectedForm =
  `expected "id:secret" with an id from 0 to ${keyIdMax} and a secret of ` +
  `at least ${keySecretBytesMin} bytes in base64url without padding`;

/**
 * Reads OPENTILL_TOKEN_KEYS, `id:base64url,id:base64url`. The problem lists all invalid entries in one line, without any
 * part of a secret.
 */
export function parseTokenKeys(text: string): TokenKeys | { readonly problem: string } {
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.length > tokenKeysMax) {
    return { problem: `expected at most ${tokenKeysMax} keys, got ${entries.length}` };
  }
  const byId = new Map<number, TokenKey>();
  const problems: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const key = parseTokenKey(entry);
    if (typeof key === 'string') problems.push(`key ${index + 1}: ${key}`);
    else if (byId.has(key.id)) problems.push(`key ${index + 1}: duplicate id ${key.id}`);
    else byId.set(key.id, key);
  }
  const [signing] = byId.values();
  if (signing === undefined || problems.length > 0) return { problem: problems.join('; ') };
  return { signing, byId };
}

/** Returns the key or its problem. */
function parseTokenKey(entry: string): TokenKey | string {
  const match = /^(0|[1-9][0-9]{0,2}):([A-Za-z0-9_-]+)$/.exec(entry);
  if (match === null) return expectedForm;
  const [, id = '', encoded = ''] = match;
  if (/^(.)\1*$/.test(encoded)) return 'expected a random secret, got one repeated character';
  const secret = Buffer.from(encoded, 'base64url');
  // Decoding ignores invalid characters; encoding the result again detects them.
  const isWhole = secret.toString('base64url') === encoded;
  const isUsable = isWhole && Number(id) <= keyIdMax && secret.length >= keySecretBytesMin;
  return isUsable ? { id: Number(id), secret: createSecretKey(secret) } : expectedForm;
}

/** Derives 32 bytes for continuation keys, so that their short MAC cannot weaken the key of the tokens. */
export function deriveContinuationKeySecret(keySecret: KeyObject): Buffer {
  return derive(keySecret, 'opentill continuation key 1');
}

/** Derives 32 bytes for the seals of the console. */
export function deriveSealSecret(keySecret: KeyObject): Buffer {
  return derive(keySecret, 'opentill console seal 1');
}

function derive(keySecret: KeyObject, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', keySecret, Buffer.alloc(0), label, 32));
}

/** Where a token is valid, so that a copied key does not make it valid in another environment or installation. */
export interface TokenScope {
  readonly environment: Environment;
  /** 16 random bytes that are stored in the database. */
  readonly installationId: Buffer;
}

/** The stored claims of an app's newest token, from which the same text can be encoded again. */
export interface TokenStamp {
  readonly keyId: number;
  /** 0 to 65535; incrementing the app's generation expels all earlier tokens. */
  readonly generation: number;
  readonly issuedAtSeconds: number;
}

/** Set by putToken, in the sandbox only: tokens issued at or before this second end at `endsAt` (ms, real time). */
export interface TokenCut {
  readonly issuedAtSeconds: number;
  readonly endsAt: number;
}

export interface TokenClaims extends TokenStamp {
  /** Unsigned, 32 bits. */
  readonly appNumber: number;
}

/** With less than this lifetime remaining, a new token is issued (the specification, "Authentication" 4). */
export const renewalWindowSeconds = 600;

/** What the response to every new token promises (the specification). */
export const tokenLifetimeSeconds = 3_600;

const installationIdBytes = 16;
const claimsBytes = 11;
const macBytes = 16;
const purpose = 'opentill access token 1';
const tokenForm = new RegExp(`^[A-Za-z0-9_-]{${sizes.accessToken}}$`);

/** Throws if the key of the claims is not in `keys`, or if a claim is out of range. */
export function encodeAccessToken(claims: TokenClaims, keys: TokenKeys, scope: TokenScope): string {
  const key = keys.byId.get(claims.keyId);
  if (key === undefined) throw new RangeError(`There is no token key ${claims.keyId} to sign with.`);
  const bytes = Buffer.alloc(claimsBytes);
  bytes.writeUInt8(claims.keyId, 0);
  bytes.writeUInt32BE(claims.appNumber, 1);
  bytes.writeUInt16BE(claims.generation, 5);
  bytes.writeUInt32BE(claims.issuedAtSeconds, 7);
  return Buffer.concat([bytes, macOf(bytes, key.secret, scope)]).toString('base64url');
}

/**
 * Verifies the format and the MAC of a token and returns its claims, or undefined if it is invalid in this scope. The caller
 * checks lifetime and generation. Each token has exactly one spelling, since 27 bytes leave no spare bits in 36 characters.
 */
export function verifyAccessToken(
  token: string,
  keys: TokenKeys,
  scope: TokenScope,
): TokenClaims | undefined {
  if (token.length !== sizes.accessToken || !tokenForm.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const key = keys.byId.get(bytes.readUInt8(0));
  if (key === undefined) return undefined;
  const claims = bytes.subarray(0, claimsBytes);
  if (!timingSafeEqual(bytes.subarray(claimsBytes), macOf(claims, key.secret, scope))) return undefined;
  return {
    keyId: key.id,
    appNumber: claims.readUInt32BE(1),
    generation: claims.readUInt16BE(5),
    issuedAtSeconds: claims.readUInt32BE(7),
  };
}

/** All parts except the environment, which ends with a NUL, have a fixed length, so different inputs have different bytes. */
function macOf(claims: Buffer, secret: KeyObject, scope: TokenScope): Buffer {
  if (scope.installationId.length !== installationIdBytes) {
    throw new RangeError(`An installation id has ${installationIdBytes} bytes.`);
  }
  const mac = createHmac('sha256', secret);
  mac.update(`${purpose}\0${scope.environment}\0`).update(scope.installationId).update(claims);
  return mac.digest().subarray(0, macBytes);
}

/** The instant (ms) from which the token is rejected. */
export function tokenExpiresAt(claims: { readonly issuedAtSeconds: number }): number {
  return (claims.issuedAtSeconds + tokenLifetimeSeconds) * 1000;
}

/** The second at which a token issued now starts, rounded up so that it lives at least as long as it states. */
function issuedAtSecondsOf(now: number): number {
  return Math.ceil(now / 1000);
}

/**
 * Whether a token is neither expired, which it is at exactly its end, nor issued further in the future than clock skew
 * allows. Both times are rounded up, so that a server exactly 60 seconds ahead is accepted.
 */
export function isTokenLive(at: {
  readonly claims: { readonly issuedAtSeconds: number };
  readonly now: number;
}): boolean {
  const aheadSeconds = at.claims.issuedAtSeconds - issuedAtSecondsOf(at.now);
  return aheadSeconds <= clockDifferenceSecondsMax && at.now < tokenExpiresAt(at.claims);
}

/** The instant (ms) at which a cut ends a token, or Infinity if the cut does not apply to it. */
export function cutEnd(cut: TokenCut | undefined, { issuedAtSeconds }: TokenStamp): number {
  return cut !== undefined && issuedAtSeconds <= cut.issuedAtSeconds ? cut.endsAt : Number.POSITIVE_INFINITY;
}

/** `expiresIn` is in seconds, rounded down, so that the token lives at least that long. */
type TokenDecision =
  | { readonly reuse: TokenStamp; readonly expiresIn: number }
  | { readonly issue: TokenStamp; readonly expiresIn: number };

/**
 * Returns the app's newest token again while at least 600 seconds remain, and otherwise issues a new one with the whole
 * lifetime. A token of another generation or of an unknown key, or that this server would reject, is not reused.
 */
export function decideToken(from: {
  readonly newest: TokenStamp | undefined;
  readonly generation: number;
  readonly now: number;
  readonly signingKeyId: number;
  /** A set of ids, or `TokenKeys.byId` itself. */
  readonly knownKeyIds: { has(keyId: number): boolean };
  /** Sandbox only. */
  readonly cut?: TokenCut | undefined;
}): TokenDecision {
  const { newest, generation, now, cut } = from;
  if (newest !== undefined && newest.generation === generation && from.knownKeyIds.has(newest.keyId)) {
    const endsAt = Math.min(tokenExpiresAt(newest), cutEnd(cut, newest));
    const remaining = Math.floor((endsAt - now) / 1000);
    const isLive = isTokenLive({ claims: newest, now });
    if (isLive && remaining >= renewalWindowSeconds) {
      return { reuse: newest, expiresIn: Math.min(remaining, tokenLifetimeSeconds) };
    }
  }
  // A token issued in a later second is not affected by the cut, and differs from those that are.
  const issuedAtSeconds = Math.max(issuedAtSecondsOf(now), cut === undefined ? 0 : cut.issuedAtSeconds + 1);
  return {
    issue: { keyId: from.signingKeyId, generation, issuedAtSeconds },
    expiresIn: tokenLifetimeSeconds,
  };
}
