// A new client secret: the text for the developer, once, and the hash that is kept.

import { encodeClientSecret, hashClientSecret } from '../../domain/tokens/client-secret.ts';
import type { Randomness } from '../../runtime/randomness.ts';

const clientSecretBytes = 32;

export function newClientSecret(randomness: Randomness): {
  readonly clientSecret: string;
  readonly hash: Buffer;
} {
  const clientSecret = encodeClientSecret(randomness.bytes(clientSecretBytes));
  return { clientSecret, hash: hashClientSecret(clientSecret) };
}
