// Creates a client secret: the text is shown once, the hash is stored.

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
