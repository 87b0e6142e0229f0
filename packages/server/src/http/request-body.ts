// Request bodies: their size, media type and encoding, JSON or a form for operations that take a body, and a drain for those
// that do not, because many HTTP libraries send `{}` anyway. Only UTF-8 is read: a replacement character would equate bytes.

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { quoteValue } from '../domain/text/quoted-value.ts';
import { sendError } from './error-response.ts';

/** The size of any body, in bytes; the largest useful one is a purchase record of a few kilobytes. */
export const bodyBytesMax = 65_536;

/** With any parameters: `application/json; charset=utf-8`. */
const jsonMediaType = /^application\/json[\t ]*(?:;.*)?$/i;
const formMediaType = /^application\/x-www-form-urlencoded[\t ]*(?:;.*)?$/i;

export function isJson(contentType: string | undefined): boolean {
  return contentType === 'application/json' || jsonMediaType.test(contentType ?? '');
}

export function isForm(contentType: string | undefined): boolean {
  return formMediaType.test(contentType ?? '');
}

/** A body that cannot be read; the message is public. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
  readonly error: 'invalidRequest' | 'unsupportedMediaType';

  constructor(error: UnreadableBody['error'], message: string) {
    super(message);
    this.error = error;
  }
}

/** Parses JSON bodies in a scope; an empty one counts as none, because many clients always send a Content-Type. */
export function parseJsonBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) =>
      body.length === 0 ? undefined : parseJson(request, body),
  );
}

function parseJson({ headers, call }: FastifyRequest, body: Buffer): unknown {
  const problem = problemOfCoding(headers['content-encoding']) ?? problemOfCharset(headers['content-type']);
  if (problem !== undefined) throw new UnreadableBody('unsupportedMediaType', problem);
  const text = decodeUtf8(body);
  if (text === undefined) throw new UnreadableBody('invalidRequest', 'expected UTF-8');
  call.bodyText = text.replace(byteOrderMark, '');
  try {
    return JSON.parse(call.bodyText);
  } catch {
    throw new UnreadableBody('invalidRequest', 'expected a JSON object in the body, got invalid JSON');
  }
}

const byteOrderMark = /^\ufeff/;

/** The problem of a Content-Encoding: no compressed body is read. */
export function problemOfCoding(contentEncoding: string | undefined): string | undefined {
  if (contentEncoding === undefined || /^(?:identity)?$/i.test(contentEncoding)) return undefined;
  return `Content-Encoding: expected identity or none, got ${quoteValue(contentEncoding)}`;
}

/** ASCII is a part of UTF-8. */
const jsonCharsets: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii']);

function problemOfCharset(contentType = ''): string | undefined {
  const charset = new MIMEType(contentType).params.get('charset');
  if (charset === null || jsonCharsets.has(charset.toLowerCase())) return undefined;
  return `Content-Type: expected the charset utf-8, got ${quoteValue(charset)}`;
}

/** Bytes of `{}`, which many HTTP libraries send for none. */
const emptyObjectBytes = 2;

/** Discards bodies that no other parser of a scope reads, up to the body limit. */
export function discardBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, ({ call }: FastifyRequest, body, done) => {
    call.hasIgnoredBody = body.length > emptyObjectBytes;
    done(null);
  });
}

/** Drains the body of a method for which Fastify runs no parser; the last hook before the handler. */
export const drainBody: onRequestAsyncHookHandler = async (request, reply) => {
  if (request.method === 'POST' || !hasBody(request.raw)) return undefined;
  try {
    return (await drain(request.raw)) ? undefined : sendError(reply, 'purchase', 'payloadTooLarge');
  } catch {
    reply.raw.destroy();
    return reply;
  }
};

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** False as soon as the body is larger than `bodyBytesMax`. */
async function drain(message: IncomingMessage): Promise<boolean> {
  if (Number(message.headers['content-length'] ?? 0) > bodyBytesMax) return false;
  let bytes = 0;
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > bodyBytesMax) return false;
  }
  return true;
}

/** Returns undefined for bytes that are not UTF-8. */
function decodeUtf8(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** null: the value is not UTF-8. */
type FormText = string | null;

/** A parameter that was sent several times is an array. */
export type Form = Readonly<Record<string, FormText | readonly FormText[] | undefined>>;

/** Decodes a form, whatever charset its Content-Type names. A `%` without two hexadecimal digits stays as it is. */
export function parseForm(body: Buffer): Form {
  const pairs = body.toString('latin1').split('&').map(formPair);
  const values = [...Map.groupBy(pairs, ([name]) => name)].map(([name, same]) => {
    const texts = same.map(([, text]) => text);
    return [name, texts.length === 1 ? texts[0] : texts];
  });
  return Object.fromEntries(values);
}

function formPair(pair: string): [name: FormText, text: FormText] {
  const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
  return [formText(pair.slice(0, end)), formText(pair.slice(end + 1))];
}

/** `encoded` has a character for each byte. */
function formText(encoded: string): FormText {
  const bytes = encoded
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return decodeUtf8(Buffer.from(bytes, 'latin1')) ?? null;
}
