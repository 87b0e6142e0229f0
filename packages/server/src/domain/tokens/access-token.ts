// The access token: 36 characters that are verified without the database (docs/decisions/access-tokens.md), and the rule
// by which the token endpoint returns the newest token again (the specification, "Authentication"). Whether the app
// exists and is enabled is not known here.

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { sizes } from '@opentill/contract/fields.ts';
import type { Environment } from '../identifiers.ts';

interface TokenKey {
  readonly id: number;
  readonly secret: Buffer;
}

/** The first of the setting signs, all verify: a key is rotated by putting a new one in front. */
export interface TokenKeys {
  readonly signing: TokenKey;
  readonly byId: ReadonlyMap<number, TokenKey>;
}

/** The id takes one byte of the token. */
const keyIdMax = 255;
/** As long as the output of SHA-256: a shorter key would be the weakest part of the MAC. */
const keySecretBytesMin = 32;
/** Rotation needs two; more than these are a mistake in the setting. */
const tokenKeysMax = 16;

const expectedForm =
  `expected "id:secret" with an id from 0 to ${keyIdMax} and a secret of ` +
  `at least ${keySecretBytesMin} bytes in base64url without padding`;

/**
 * Reads OPENTILL_TOKEN_KEYS, `id:base64url,id:base64url`. The problem names every entry that is wrong, in
 * one line, and repeats nothing of a secret.
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
    if (key === undefined) problems.push(`key ${index + 1}: ${expectedForm}`);
    else if (byId.has(key.id)) problems.push(`key ${index + 1}: duplicate id ${key.id}`);
    else byId.set(key.id, key);
  }
  const [signing] = byId.values();
  if (signing === undefined || problems.length > 0) return { problem: problems.join('; ') };
  return { signing, byId };
}

function parseTokenKey(entry: string): TokenKey | undefined {
  const match = /^(0|[1-9][0-9]{0,2}):([A-Za-z0-9_-]+)$/.exec(entry);
  if (match === null) return undefined;
  const [, id = '', encoded = ''] = match;
  const secret = Buffer.from(encoded, 'base64url');
  // A text that does not come back the same was cut or mistyped.
  const isWhole = secret.toString('base64url') === encoded;
  const isUsable = isWhole && Number(id) <= keyIdMax && secret.length >= keySecretBytesMin;
  return isUsable ? { id: Number(id), secret } : undefined;
}

/** 32 bytes for continuation keys, so that a weakness of their short MAC says nothing about tokens. */
export function deriveContinuationKeySecret(keySecret: Buffer): Buffer {
  const label = 'opentill continuation key 1';
  return Buffer.from(hkdfSync('sha256', keySecret, Buffer.alloc(0), label, 32));
}

/** Where a token is good: a copied key does not carry it over to another environment or installation. */
export interface TokenScope {
  readonly environment: Environment;
  /** 16 random bytes kept in the database. */
  readonly installationId: Buffer;
}

/** What is stored of an app's newest token: enough to make the same text again. */
export interface TokenStamp {
  readonly keyId: number;
  /** 0 to 65535; raising the app's generation expels every token of the earlier ones. */
  readonly generation: number;
  readonly issuedAtSeconds: number;
}

/** What putToken stores: tokens issued at this second or before end at `endsAt` (ms, real time). Sandbox only. */
export interface TokenCut {
  readonly issuedAtSeconds: number;
  readonly endsAt: number;
}

export interface TokenClaims extends TokenStamp {
  /** Unsigned, 32 bits. */
  readonly appNumber: number;
}

/** The specification, "Authentication" 4: with fewer seconds left than these, a new token is issued. */
export const renewalWindowSeconds = 600;

/** How far the clocks of two servers of an installation, or of a server and its database's machine, may be apart. */
export const clockDifferenceSecondsMax = 60;

const installationIdBytes = 16;
const claimsBytes = 11;
const macBytes = 16;
const purpose = 'opentill access token 1';
const tokenForm = new RegExp(`^[A-Za-z0-9_-]{${sizes.accessToken}}$`);

/** Fails when the claims name a key that is not among `keys`, or do not fit their bytes. */
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
 * The claims of a token of this scope, or undefined: form and MAC only. Whether it is live, and of the
 * app's present generation, is for the caller. Every text of the form stands for other bytes (27 bytes
 * leave no spare bits in 36 characters), so that a token has one spelling.
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

/** Each part but the environment has a fixed length, and that ends with a NUL: no two inputs are alike. */
function macOf(claims: Buffer, secret: Buffer, scope: TokenScope): Buffer {
  if (scope.installationId.length !== installationIdBytes) {
    throw new RangeError(`An installation id has ${installationIdBytes} bytes.`);
  }
  const mac = createHmac('sha256', secret);
  mac.update(`${purpose}\0${scope.environment}\0`).update(scope.installationId).update(claims);
  return mac.digest().subarray(0, macBytes);
}

/** The instant (ms) from which the token is refused. */
export function tokenExpiresAt(
  claims: { readonly issuedAtSeconds: number },
  lifetimeSeconds: number,
): number {
  return (claims.issuedAtSeconds + lifetimeSeconds) * 1000;
}

/** The second from which a token issued now counts. Rounded up, so that it lives for all it says. */
function issuedAtSecondsOf(now: number): number {
  return Math.ceil(now / 1000);
}

/**
 * Neither expired (at exactly its end it is) nor from further in the future than servers' clocks may
 * differ. Both sides of that are rounded up alike, so that a server exactly 60 seconds ahead is accepted.
 */
export function isTokenLive(at: {
  readonly claims: { readonly issuedAtSeconds: number };
  readonly now: number;
  readonly lifetimeSeconds: number;
}): boolean {
  const aheadSeconds = at.claims.issuedAtSeconds - issuedAtSecondsOf(at.now);
  return aheadSeconds <= clockDifferenceSecondsMax && at.now < tokenExpiresAt(at.claims, at.lifetimeSeconds);
}

/** The instant (ms) at which a cut ends a token, or Infinity if the token is not cut. */
export function cutEnd(cut: TokenCut | undefined, { issuedAtSeconds }: TokenStamp): number {
  return cut !== undefined && issuedAtSeconds <= cut.issuedAtSeconds ? cut.endsAt : Number.POSITIVE_INFINITY;
}

/** `expiresIn` is in whole seconds, rounded down: the token lives at least that long. */
type TokenDecision =
  | { readonly reuse: TokenStamp; readonly expiresIn: number }
  | { readonly issue: TokenStamp; readonly expiresIn: number };

/**
 * Hands out the app's newest token again while 600 seconds or more are left, to the millisecond: with
 * 599.999 left a new one is issued, which says the whole lifetime. Not reused either: one of another
 * generation, of a key that this server does not know, or one that this server would refuse.
 */
export function decideToken(from: {
  readonly newest: TokenStamp | undefined;
  readonly generation: number;
  readonly now: number;
  readonly lifetimeSeconds: number;
  readonly signingKeyId: number;
  /** A set of ids, or `TokenKeys.byId` itself. */
  readonly knownKeyIds: { has(keyId: number): boolean };
  /** Sandbox only. */
  readonly cut?: TokenCut | undefined;
}): TokenDecision {
  const { newest, generation, now, lifetimeSeconds, cut } = from;
  if (newest !== undefined && newest.generation === generation && from.knownKeyIds.has(newest.keyId)) {
    const endsAt = Math.min(tokenExpiresAt(newest, lifetimeSeconds), cutEnd(cut, newest));
    const remaining = Math.floor((endsAt - now) / 1000);
    const isLive = isTokenLive({ claims: newest, now, lifetimeSeconds });
    if (isLive && remaining >= renewalWindowSeconds) {
      return { reuse: newest, expiresIn: Math.min(remaining, lifetimeSeconds) };
    }
  }
  // A token of a later second is not cut, and differs from those that are.
  const issuedAtSeconds = Math.max(issuedAtSecondsOf(now), cut === undefined ? 0 : cut.issuedAtSeconds + 1);
  return { issue: { keyId: from.signingKeyId, generation, issuedAtSeconds }, expiresIn: lifetimeSeconds };
}
