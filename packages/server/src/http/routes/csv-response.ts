// The files of operations `asCsv`: which calls want one, that a caller downloads one at a time, and how it is sent
// (docs/decisions/console.md, "Files").

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest, onResponseHookHandler } from 'fastify';
import Negotiator from 'negotiator';
import type { CsvListing, OpenCsv } from '../../operations/csv-writing/csv-file.ts';
import type { CsvFile, OperatorCall, OperatorResponse } from '../../operations/operator-handler.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { Log } from '../../runtime/log.ts';
import { reportThrown } from '../error-response.ts';

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

interface CsvOptions {
  readonly openCsv: OpenCsv;
  readonly log: Log;
  /** For a call whose response was cut, which Fastify does not report. */
  readonly reportCall: onResponseHookHandler;
}

type Handle = (call: OperatorCall) => Promise<OperatorResponse>;

export class CsvResponses {
  readonly #options: CsvOptions;
  /** The sessions and keys that are downloading a file from this server. */
  readonly #callers = new Set<string>();

  constructor(options: CsvOptions) {
    this.#options = options;
  }

  /** Returns undefined for a call that does not want a file. */
  handlerOf(request: FastifyRequest, reply: FastifyReply, listing: CsvListing): Handle | undefined {
    const { method, headers, raw, call } = request;
    // To respond to HEAD, Fastify would read the whole file.
    if (method !== 'GET' || headers.accept === undefined) return undefined;
    const wanted = new Negotiator({ headers }).mediaType(mediaTypes);
    if (wanted?.startsWith('text/csv') !== true) return undefined;
    if (raw.httpVersion === '1.0') return async () => new Refusal('invalidRequest', oldHttp);
    const caller = `${call.madeBy} ${call.session?.createdAt}`;
    if (this.#callers.has(caller)) return async () => new Refusal('tooManyRequests', busy);
    this.#callers.add(caller);
    reply.raw.once('close', () => this.#callers.delete(caller));
    return (given) => this.#options.openCsv(listing, given, preferredZone(request));
  }

  /** Reads the file no faster than the client. After an error the connection is cut, so that no part looks complete. */
  send(reply: FastifyReply, file: CsvFile): FastifyReply {
    const { log, reportCall } = this.#options;
    const { request, raw } = reply;
    request.call.liftTimeLimit?.();
    const text = Readable.from(file);
    text.once('error', (error) => {
      request.call.outcome = reportThrown(request, { error, log });
    });
    raw.once('close', () => {
      if (!raw.writableFinished) reportCall.call(reply.server, request, reply, () => undefined);
    });
    return reply
      .header('content-type', 'text/csv; charset=utf-8; header=present')
      .header('content-disposition', 'attachment')
      .send(text);
  }
}

/** The time zone that a client prefers (RFC 7240): `Prefer: timezone=Asia/Seoul`. */
function preferredZone({ headers }: FastifyRequest): string | undefined {
  return /(?:^|[,;])\s*timezone\s*=\s*"?([^\s",;]+)/i.exec(String(headers['prefer'] ?? ''))?.[1];
}
