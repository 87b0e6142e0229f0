// The files of operations `asCsv`: which calls want one, that a caller downloads one at a time, and how it is sent
// (docs/decisions/console.md, "Files").

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest, onResponseHookHandler, preHandlerHookHandler } from 'fastify';
import Negotiator from 'negotiator';
import type { CsvFile, CsvListing, OpenCsv } from '../../operations/csv-writing/csv-file.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { Log } from '../../runtime/log.ts';
import { type ErrorForm, reportThrown, sendError } from '../error-response.ts';
import type { Perform } from './operation-calls.ts';

/** The first one is sent to a client that accepts all. The parameters are those with which both are sent. */
const mediaTypes = [
  'application/json',
  'application/json;charset=utf-8',
  'text/csv',
  'text/csv;charset=utf-8',
];

const oldHttp =
  'HTTP: expected version 1.1 for a file, got 1.0, in which a file that was cut short looks complete. In front of the server, nginx needs `proxy_http_version 1.1`.';

const busy = 'Expected one file at a time of a session or key: retry when the other file is complete.';

interface FileOptions {
  readonly openCsv: OpenCsv;
  readonly log: Log;
  /** For a call whose response was cut, which Fastify does not report. */
  readonly reportCall: onResponseHookHandler;
}

interface FileRoute {
  readonly listing: CsvListing;
  readonly perform: Perform;
}

/** Returns what makes the step of a list that sends its file to a caller that wants one. */
export function fileSenders(form: ErrorForm, options: FileOptions) {
  /** The sessions and keys that are downloading a file from this server. */
  const callers = new Set<string>();
  return ({ listing, perform }: FileRoute): preHandlerHookHandler => {
    const open = async (request: FastifyRequest, reply: FastifyReply): Promise<CsvFile | Refusal> => {
      if (request.raw.httpVersion === '1.0') return new Refusal('invalidRequest', oldHttp);
      const caller = `${request.call.madeBy} ${request.call.session?.createdAt}`;
      if (callers.has(caller)) return new Refusal('tooManyRequests', busy);
      callers.add(caller);
      reply.raw.once('close', () => callers.delete(caller));
      return perform(request, reply, (call) => options.openCsv(listing, call, preferredZone(request)));
    };
    return (request, reply, done) => {
      if (!wantsFile(request)) {
        done();
        return;
      }
      // With a promise as the result, Fastify would take the next step when the connection of a file is cut.
      open(request, reply)
        .then((file) => sendFile(reply, file, { ...options, form }))
        .catch(done);
    };
  };
}

function wantsFile({ method, headers }: FastifyRequest): boolean {
  // To respond to HEAD, Fastify would read the whole file.
  if (method !== 'GET' || headers.accept === undefined) return false;
  return new Negotiator({ headers }).mediaType(mediaTypes)?.startsWith('text/csv') === true;
}

/** Reads the file no faster than the client. After an error the connection is cut, so that no part looks complete. */
function sendFile(
  reply: FastifyReply,
  file: CsvFile | Refusal,
  { form, log, reportCall }: FileOptions & { readonly form: ErrorForm },
): void {
  if (file instanceof Refusal) {
    sendError(reply, form, file.error, file);
    return;
  }
  const { request, raw } = reply;
  request.call.liftTimeLimit?.();
  const text = Readable.from(file);
  text.once('error', (error) => {
    request.call.outcome = reportThrown(request, { error, log });
  });
  raw.once('close', () => {
    if (!raw.writableFinished) reportCall.call(reply.server, request, reply, () => undefined);
  });
  reply
    .header('content-type', 'text/csv; charset=utf-8; header=present')
    .header('content-disposition', 'attachment')
    .send(text);
}

/** The time zone that a client prefers (RFC 7240): `Prefer: timezone=Asia/Seoul`. */
function preferredZone({ headers }: FastifyRequest): string | undefined {
  return /(?:^|[,;])\s*timezone\s*=\s*"?([^\s",;]+)/i.exec(String(headers['prefer'] ?? ''))?.[1];
}
