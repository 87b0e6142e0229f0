// Webhooks as Standard Webhooks define them: whether a message that came is the store's, whole, and of now.

import { OpenTillError } from './opentill-error.ts';
import { realTiming } from './timing.ts';

export interface ReceivedWebhook {
  /** The bytes of the body as they came, or their text: not a parsed and rewritten one. */
  readonly body: string | Uint8Array;
  /** Those of the request, in either of the forms that servers give them in. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `whsec_...`; several while they are being rotated. */
  readonly secrets: string | readonly string[];
  /** How far the time of the message may be from now, in seconds; 300 unless told otherwise. */
  readonly toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970, for tests. */
  readonly now?: number | undefined;
}

const operation = 'verifyWebhook';
const defaultToleranceSeconds = 300;
const secretPrefix = 'whsec_';
const signaturePrefix = 'v1,';

/** More signatures than any rotation needs are not looked at: each costs a hash for each secret. */
const signaturesMax = 10;

const encoder = new TextEncoder();

/**
 * Gives the message once its signature and its time are right. The same message may come more than once: its
 * `webhook-id` tells.
 * @throws OpenTillError for a message that must not be acted on; TypeError for secrets that are none.
 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<unknown> {
  const { body, secrets, toleranceSeconds = defaultToleranceSeconds, now = realTiming.now() } = received;
  const header = (name: string): string => {
    const value = headerOf(received.headers, name);
    if (!value) throw new OpenTillError(operation, `the header ${name} is missing`);
    return value;
  };
  const keys = await Promise.all([secrets].flat().map(importKey));
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')];
  const isNear = Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds;
  if (!/^\d+$/.test(timestamp) || !isNear) {
    throw new OpenTillError(
      operation,
      `webhook-timestamp: expected a time within ${toleranceSeconds} s of now`,
    );
  }
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const signed = concatenated(encoder.encode(`${id}.${timestamp}.`), bytes);
  const signatures = header('webhook-signature').split(' ').filter(isKnown).slice(0, signaturesMax);
  // The comparison of a MAC takes the same time whatever the signature.
  const verdicts = await Promise.all(
    keys.flatMap((key) => signatures.map((signature) => isSigned(key, signature, signed))),
  );
  if (!verdicts.includes(true))
    throw new OpenTillError(operation, 'no signature fits the message and a secret');
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new OpenTillError(operation, 'the body is no JSON');
  }
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value?.join(' ');
}

/** Frameworks bring their own, so that no class tells. */
function isHeaders(headers: ReceivedWebhook['headers']): headers is Headers {
  return typeof (headers as { get?: unknown }).get === 'function';
}

const isKnown = (signature: string): boolean => signature.startsWith(signaturePrefix);

function importKey(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith(secretPrefix) ? decoded(secret.slice(secretPrefix.length)) : undefined;
  if (!bytes?.length) throw new TypeError(`secrets: expected ${secretPrefix} and base64`);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

async function isSigned(
  key: CryptoKey,
  signature: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const bytes = decoded(signature.slice(signaturePrefix.length));
  return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, signed);
}

/** Undefined for what is no base64. */
function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concatenated(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
