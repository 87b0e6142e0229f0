// The bodies of the operator API and the sandbox API: JSON where an operation takes one, read past where it
// takes none, and what is answered when a body cannot be read.

import type { FastifyError, FastifyInstance } from 'fastify';
import type { Log } from '../runtime/log.ts';
import { type ErrorForm, sendError, sendThrown } from './error-response.ts';

/** An empty body counts as none: many clients name the type whether or not they send one. */
export function readBodies(server: FastifyInstance, takesBody: boolean): void {
  server.removeAllContentTypeParsers();
  if (!takesBody) {
    server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null));
    return;
  }
  const parseJson = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parseJson(request, body as string, done);
  });
}

export function answerErrors(server: FastifyInstance, form: ErrorForm, log: Log): void {
  server.setErrorHandler((error: FastifyError, _request, reply) => {
    switch (error.statusCode) {
      case 415:
        return sendError(reply, form, 'unsupportedMediaType', {
          detail: 'Content-Type: expected application/json.',
        });
      case 400: {
        const message = 'expected a JSON object in the body, got invalid JSON';
        const errors = [{ path: '', message }];
        return sendError(reply, form, 'invalidRequest', { detail: `body: ${message}.`, errors });
      }
      default:
        return sendThrown(reply, form, { error, log });
    }
  });
}
