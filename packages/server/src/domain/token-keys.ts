// The keys that sign tokens, as OPENTILL_TOKEN_KEYS gives them (design.md, "Tokens"). The first signs,
// all verify, so that a key is rotated by putting a new one in front.

import { hkdfSync } from 'node:crypto';

export interface TokenKey {
  readonly id: number;
  readonly secret: Buffer;
}

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
  'expected "id:secret", the id a number from 0 to 255 and the secret at least 32 bytes in base64url without padding';

/**
 * Reads `id:base64url,id:base64url`. The problem names every entry that is wrong, in one line, and
 * repeats nothing of a secret.
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
    else if (byId.has(key.id)) problems.push(`key ${index + 1}: the id ${key.id} is there twice`);
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
