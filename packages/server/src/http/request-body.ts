// Request bodies: their size and media type, JSON for operations that take a body, and a drain for those that do not,
// because many HTTP libraries send `{}` anyway.

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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

/** Parses JSON bodies in a scope; an empty one counts as none, because many clients always send a Content-Type. */
export function parseJsonBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const parseJson = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parseJson(request, body as string, done);
  });
}

/** Discards bodies that no other parser of a scope reads, up to the body limit. */
export function discardBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null));
}

/** Drains the body of a method for which Fastify runs no parser; the last hook before the handler. */
export function drainBody(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (request.method === 'POST' || !hasBody(request.raw)) {
    done();
    return;
  }
  drain(request.raw).then(
    (isDrained) => {
      if (isDrained) done();
      else sendError(reply, 'purchase', 'payloadTooLarge');
    },
    () => reply.raw.destroy(),
  );
}

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
