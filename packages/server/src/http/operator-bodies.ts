// The bodies of the operator API and the sandbox API: JSON where an operation takes one, read past where it
// takes none, and what is answered when a body cannot be read.

import type { FastifyError, FastifyInstance } from 'fastify';
import type { Log } from '../runtime/log.ts';
import { failureOf, logFailure } from './failure-of.ts';
import { type ProblemAudience, sendFailureAsProblem, sendProblem } from './problem-response.ts';

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

export function answerErrors(server: FastifyInstance, audience: ProblemAudience, log: Log): void {
  server.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.statusCode === 415) {
      const detail = 'Expected Content-Type: application/json.';
      return sendProblem(reply, audience, { name: 'unsupportedMediaType', detail });
    }
    const failure = failureOf(error);
    if (failure === 'malformedRequest') {
      const message = 'expected a JSON object as body, got what is no JSON';
      const errors = [{ path: '', message }];
      return sendProblem(reply, audience, { name: 'invalidRequest', detail: `body: ${message}.`, errors });
    }
    if (failure === 'internalError' || failure === 'unavailable') logFailure(log, error, request);
    return sendFailureAsProblem(reply, audience, failure);
  });
}
