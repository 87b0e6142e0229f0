// Signatures of what this server posts to others, as Standard Webhooks define them (standardwebhooks.com): an
// id, a time and the body are signed together with a secret that the receiver has too.

import { createHmac } from 'node:crypto';

const secretPrefix = 'whsec_';

/** The bounds of Standard Webhooks: below them a key can be guessed, above them it gains nothing. */
const secretBytes = { min: 24, max: 64 } as const;

/** Bytes of a secret that is made here: as many as the signature has. */
export const madeSecretBytes = 32;

/** Reads `whsec_` and base64. The problem repeats nothing of the secret. */
export function parseWebhookSecret(text: string): Buffer | { readonly problem: string } {
  const encoded = text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : '';
  const secret = Buffer.from(encoded, 'base64');
  // A text that does not come back the same was cut or mistyped.
  const isWhole = secret.toString('base64') === encoded;
  if (isWhole && secret.length >= secretBytes.min && secret.length <= secretBytes.max) return secret;
  const { min, max } = secretBytes;
  return { problem: `expected ${secretPrefix} and ${min} to ${max} bytes in base64` };
}

/** The text of a secret, for the receiver. */
export function formatWebhookSecret(secret: Buffer): string {
  return `${secretPrefix}${secret.toString('base64')}`;
}

/**
 * The instant (ms) until which a secret that was rotated away still signs, beside the one that took its place;
 * undefined when it does no more.
 */
export function rotatesUntil(previousSecretUntil: number | null, realNow: number): number | undefined {
  return previousSecretUntil !== null && realNow < previousSecretUntil ? previousSecretUntil : undefined;
}

interface SignedMessage {
  /** The same for each repeat of a message. */
  readonly id: string;
  /** When it is sent, ms. */
  readonly now: number;
  readonly body: string;
}

/** The headers that go with the body: a signature by each of the secrets, any one of which the receiver may have. */
export function signatureHeaders(
  message: SignedMessage,
  secrets: readonly [Buffer, ...Buffer[]],
): Record<string, string> {
  const timestamp = String(Math.floor(message.now / 1000));
  const signed = `${message.id}.${timestamp}.${message.body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`,
  );
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
