// Per-request state: id, no-store header, log lines, metrics.

import { unknownOperation } from '@opentill/contract/logged-request.ts';
import type { Role } from '@opentill/contract/operator-api/operator-operation.ts';
import type { FastifyReply, FastifyRequest, onRequestHookHandler, onResponseHookHandler } from 'fastify';
import { appAuthor } from '../../domain/author.ts';
import { minuteMs, secondMs } from '../../domain/time.ts';
import type { TokenClaims } from '../../domain/tokens/access-token.ts';
import type { SentSecret } from '../../domain/tokens/client-secret.ts';
import type { SessionIdentity } from '../../operations/operator-handler.ts';
import { logAlert } from '../../runtime/alert-lines.ts';
import { FixedWindows } from '../../runtime/fixed-windows.ts';
import type { Log, LogCall } from '../../runtime/log.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import type { FaultRow, SandboxState } from '../../store/sandbox/sandbox-state.ts';
import { clientAddress } from './client.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by beginCall, before any other hook. */
    call: CallState;
  }
}

/** One object, because Fastify would set ten decorators one by one: 7 percent of the CPU time of a read. */
class CallState {
  /** performance.now() when the request was received. */
  readonly receivedAt = performance.now();
  /** The operationId, as soon as a route is found. */
  operationId: string = unknownOperation;
  /** The package name of the app concerned, or null. */
  packageName: string | null = null;
  /** `success`, `overloaded`, or the code or name of the error, for the log and the metrics. */
  outcome = 'success';
  /** The code of the error; null for success. */
  errorCode: number | null = null;
  /** Why the database could not serve the call. */
  databaseFailure: Error | undefined = undefined;
  /** Lifts the time limit of the response. */
  liftTimeLimit: (() => void) | null = null;
  /** The recorded author of the changes that an operator or an app makes. */
  madeBy = '';
  /** The role of the operator; undefined for a call with an app's own token. */
  role: Role | undefined = undefined;
  /** The session that authorizes the call, instead of a key. */
  session: SessionIdentity | undefined = undefined;
  /** The claims of the access token that authorizes the call. */
  tokenClaims: TokenClaims | undefined = undefined;
  /** What was sent as the client secret; undefined where the call needs none, or has none. */
  clientSecret: SentSecret | undefined = undefined;
  readonly clientAddress: string;
  /** Null until it is first needed. */
  sandboxState: Promise<SandboxState> | null = null;
  /** The injected fault; null in production. */
  fault: FaultRow | null = null;
  /** Real time at which the request was received, ms; 0 in production. */
  calledAt = 0;
  /** The body of the response; empty in production. */
  responseText = '';
  /** A body was sent to an operation that takes none. */
  hasIgnoredBody = false;
  /** The JSON of a body that the operation takes. */
  bodyText = '';
  /** The client secret that a token request was checked with; null before that. */
  checkedSecret: string | null = null;

  constructor(address: string) {
    this.clientAddress = address;
  }
}

/** Monitoring and proxies call these all the time: only a failure is worth a line at the usual level. */
const monitoring: ReadonlySet<string> = new Set(['healthLive', 'healthReady', 'metrics']);

/** The outcome of a call that a limit of the server itself has ended. */
export const overloaded = 'overloaded';

interface Reports {
  readonly log: Log;
  readonly logCall: LogCall;
  readonly metrics: Metrics;
}

/** Logs and counts a call after its response. */
export function reportCall(reports: Reports): onResponseHookHandler {
  const { logCall, metrics } = reports;
  const reportFailure = failureReporter(reports);
  return (request, reply, done) => {
    const now = performance.now();
    const {
      operationId,
      packageName: app,
      outcome,
      receivedAt,
      madeBy,
      clientAddress: address,
    } = request.call;
    const ms = now - receivedAt;
    request.call.liftTimeLimit?.();
    metrics.observeCall(operationId, outcome, ms / secondMs);
    if (outcome !== 'success') reportFailure(request, now);
    const level = monitoring.has(operationId) && reply.statusCode === 200 ? 'debug' : 'info';
    logCall(level, {
      requestId: request.id,
      operationId,
      app,
      // An app has no other name.
      by: madeBy === '' || madeBy === appAuthor ? undefined : madeBy,
      address,
      outcome,
      status: reply.statusCode,
      ms: Math.round(ms * secondMs) / secondMs,
    });
    done();
  };
}

/** Counts the overloads of each app; logs them and the failures of its database, which come by the thousand, once a minute. */
function failureReporter({ log, metrics }: Reports): (request: FastifyRequest, now: number) => void {
  const windows = new FixedWindows(minuteMs);
  return ({ id: requestId, call }, now) => {
    const app = call.packageName ?? '';
    const isOverloaded = call.outcome === overloaded;
    if (isOverloaded) metrics.countOverload(app);
    else if (call.databaseFailure === undefined) return;
    const code = isOverloaded ? 'overloaded' : 'databaseUnavailable';
    if (windows.count(`${code}/${app}`, now).count > 1) return;
    const err = isOverloaded ? undefined : call.databaseFailure;
    logAlert(log, code, { err, requestId, ...callerOf(call) });
  };
}

/** The caller and the operation, for a line of the log. */
export function callerOf({ operationId, packageName: app, madeBy, clientAddress: address }: CallState) {
  return { operationId, app, by: madeBy || undefined, address };
}

/** Called once per request, also for one with a response before any hook runs. */
export function beginCall(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  request.call = new CallState(clientAddress(request));
  reply.header('x-request-id', request.id);
  reply.header('cache-control', 'no-store');
  done();
}

/** Sets the operationId for the log and the metrics. */
export function nameOperation(operationId: string): onRequestHookHandler {
  return (request, _reply, done) => {
    request.call.operationId = operationId;
    done();
  };
}
