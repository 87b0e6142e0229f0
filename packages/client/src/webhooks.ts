// Verifies the signature and the time of a webhook (Standard Webhooks).

import { OpenTillError } from './opentill-error.ts';
import { realTiming } from './timing.ts';

/** A received webhook and the secrets that may have signed it. */
export interface ReceivedWebhook {
  /** The body exactly as received, as bytes or text; not parsed and serialized again. */
  readonly body: string | Uint8Array | ArrayBuffer;
  /** The headers of the request, as Headers or as an object. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** A secret (`whsec_...`), or all valid ones during a rotation, of which undefined ones are skipped. */
  readonly secrets: string | readonly (string | undefined)[];
  /** Maximum difference between the time of the message and now, in seconds; 300 by default. */
  readonly toleranceSeconds?: number | undefined;
  /** The current time in ms since 1970, for tests. */
  readonly now?: number | undefined;
}

const operation = 'verifyWebhook';
const defaultToleranceSeconds = 300;
const secretPrefix = 'whsec_';
const signaturePrefix = 'v1,';

/** Signatures that are checked; each costs a hash per secret. */
const signaturesMax = 10;

const encoder = new TextEncoder();

/**
 * Returns the parsed message if its signature and time are valid. A message may be delivered more than once, with the
 * same `webhook-id`.
 * @throws OpenTillError for an invalid message, TypeError for an invalid secret or a body that was parsed
 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<unknown> {
  const { secrets, toleranceSeconds = defaultToleranceSeconds, now = realTiming.now() } = received;
  const header = (name: string): string => {
    const value = headerOf(received.headers, name);
    if (!value) throw new OpenTillError(operation, `the header ${name} is missing`);
    return value;
  };
  const bytes = bytesOf(received.body);
  const listed = typeof secrets === 'object' ? secrets.filter((secret) => secret !== undefined) : [secrets];
  const keys = await Promise.all(listed.map(importKey));
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')];
  const isNear = Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds;
  if (!/^\d+$/.test(timestamp) || !isNear) {
    throw new OpenTillError(
      operation,
      `webhook-timestamp: expected a time within ${toleranceSeconds} s of now`,
    );
  }
  const signed = concatenated(encoder.encode(`${id}.${timestamp}.`), bytes);
  const signatures = header('webhook-signature').split(' ').filter(isKnown).slice(0, signaturesMax);
  // crypto.subtle.verify compares in constant time.
  const verdicts = await Promise.all(
    keys.flatMap((key) => signatures.map((signature) => isSigned(key, signature, signed))),
  );
  if (!verdicts.includes(true))
    throw new OpenTillError(operation, 'no signature matches the message and a secret');
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new OpenTillError(operation, 'the body is not valid JSON');
  }
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return encoder.encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  // Test environments have their own ArrayBuffer, so instanceof does not work.
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]')
    return new Uint8Array(body as ArrayBuffer);
  const got = typeof body === 'object' && body !== null ? 'a parsed body' : String(body);
  throw new TypeError(`body: expected the raw bytes or text of the request, got ${got}`);
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value?.join(' ');
}

/** Frameworks have their own Headers classes, so instanceof does not work. */
function isHeaders(headers: ReceivedWebhook['headers']): headers is Headers {
  return typeof (headers as { get?: unknown }).get === 'function';
}

const isKnown = (signature: string): boolean => signature.startsWith(signaturePrefix);

type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

function importKey(secret: string | undefined): Promise<HmacKey> {
  const bytes = secret?.startsWith(secretPrefix) ? decoded(secret.slice(secretPrefix.length)) : undefined;
  if (!bytes?.length) throw new TypeError(`secrets: expected ${secretPrefix} and base64`);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

async function isSigned(key: HmacKey, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const bytes = decoded(signature.slice(signaturePrefix.length));
  return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, signed);
}

/** Returns undefined for invalid base64. */
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
