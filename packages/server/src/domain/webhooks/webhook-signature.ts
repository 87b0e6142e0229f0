// Signatures of outgoing requests as defined by Standard Webhooks (standardwebhooks.com): id, time and body are signed with
// a secret that the receiver knows.

import { createHmac } from 'node:crypto';

const secretPrefix = 'whsec_';

/** The limits of Standard Webhooks. */
const secretBytes = { min: 24, max: 64 } as const;

/** The bytes of a generated secret: as many as the signature has. */
export const generatedSecretBytes = 32;

/** Reads `whsec_` and base64. The problem contains no part of the secret. */
export function parseWebhookSecret(text: string): Buffer | { readonly problem: string } {
  const encoded = text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : '';
  const secret = Buffer.from(encoded, 'base64');
  // Decoding ignores invalid characters; encoding the result again detects them.
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
 * The instant (ms) until which the previous secret signs together with the current one; undefined if that time is over or
 * there is none.
 */
export function previousSecretEnd(previousSecretUntil: number | null, realNow: number): number | undefined {
  return previousSecretUntil !== null && realNow < previousSecretUntil ? previousSecretUntil : undefined;
}

/** The time of an attempt, ms, as it is signed. */
export function webhookTimestamp(now: number): string {
  return String(Math.floor(now / 1000));
}

interface SignedMessage {
  /** The same for every attempt to send the message. */
  readonly id: string;
  /** The time of the attempt, ms. */
  readonly now: number;
  readonly body: string;
}

/** The headers for a body, with one signature per secret; the receiver may know any of them. */
export function signatureHeaders(
  message: SignedMessage,
  secrets: readonly [Buffer, ...Buffer[]],
): Record<string, string> {
  const timestamp = webhookTimestamp(message.now);
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
