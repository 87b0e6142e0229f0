// Omits the body of an unchanged response, for callers that poll, such as the console.

import { createHash } from 'node:crypto';
import type { onSendHookHandler } from 'fastify';

/** A GET has an entity tag; sent as If-None-Match, it leads to 304 as long as the response is the same. */
export const revalidateReads: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (request.method !== 'GET' || reply.statusCode !== 200 || typeof payload !== 'string') {
    done(null, payload);
    return;
  }
  const tag = `"${createHash('sha256').update(payload).digest('base64url')}"`;
  reply.header('etag', tag);
  if (request.headers['if-none-match'] !== tag) {
    done(null, payload);
    return;
  }
  reply.code(304).removeHeader('content-type');
  // The headers for pages, which the caller already received with the first response.
  for (const name of reply.raw.getHeaderNames()) reply.raw.removeHeader(name);
  done(null, null);
};
