// Renders the errors of the contract in the form of each API: `{"error":{"code","message"}}` for the purchase and events
// APIs, RFC 9457 problem details for the operator and developer APIs.

import { type ErrorName, errors, type Problem, type ProblemEntry } from '@opentill/contract/errors.ts';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../operations/refusal.ts';
import { logAlert } from '../runtime/alert-lines.ts';
import type { Log } from '../runtime/log.ts';
import { DatabaseUnavailable, Overloaded } from '../store/connection/database-failure.ts';
import { callerOf, overloaded } from './listener/observation.ts';

export const jsonContentType = 'application/json;charset=utf-8';
const problemContentType = 'application/problem+json;charset=utf-8';

/** When a client should retry after an overload or an outage, in seconds. */
export const retryAfterSeconds = 1;

/** `developer` is problem details with the `error` of the purchase API, so that its clients read one shape. */
export type ErrorForm = 'purchase' | 'developer' | 'operator';

/** The form of errors that no route sends; there is no request for errors of the HTTP parser. */
export type ErrorFormOf = (request?: FastifyRequest) => ErrorForm;

/** The details of one occurrence of an error. */
interface ErrorDetails {
  /** Public; replaces the title as the message. */
  readonly detail?: string | undefined;
  readonly errors?: readonly ProblemEntry[] | undefined;
  readonly retryAfterSeconds?: number;
  /** Whether a limit of the server was reached, and not one of the database. */
  readonly isOverload?: boolean;
}

/** A complete error response. */
export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function renderError(form: ErrorForm, name: ErrorName, details: ErrorDetails = {}): RenderedError {
  const { code, status, type, title } = errors[name];
  const { detail = title, errors: entries } = details;
  const error = { code, message: detail };
  const problem = (): Problem => ({
    type,
    title,
    status,
    detail,
    ...(entries !== undefined && { errors: [...entries] }),
    ...(form === 'developer' && { error }),
  });
  const contentType = form === 'purchase' ? jsonContentType : problemContentType;
  return {
    status,
    headers: { ...headersOf(name, details), 'content-type': contentType },
    body: JSON.stringify(form === 'purchase' ? { error } : problem()),
  };
}

function headersOf(
  name: ErrorName,
  { retryAfterSeconds: retryAfter = retryAfterSeconds }: ErrorDetails,
): Record<string, string> {
  switch (name) {
    case 'unauthorized':
      return { 'www-authenticate': 'Bearer' };
    case 'unavailable':
    case 'tooManyRequests':
      return { 'retry-after': String(retryAfter) };
    case 'payloadTooLarge':
    case 'malformedRequest':
    case 'requestTimeout':
    case 'headerTooLarge':
      return { connection: 'close' };
    default:
      return {};
  }
}

export function sendError(
  reply: FastifyReply,
  form: ErrorForm,
  name: ErrorName,
  details?: ErrorDetails,
): FastifyReply {
  const { status, headers, body } = renderError(form, name, details);
  setOutcome(reply.request, form, name, details?.isOverload);
  return reply.code(status).headers(headers).send(body);
}

/** The outcomes of success and of the failures that alerts count. */
export function alertedOutcomes(form: ErrorForm): string[] {
  return ['success', outcomeNameOf(form, 'internalError'), outcomeNameOf(form, 'unavailable'), overloaded];
}

/** Sets what the log, the metrics and the request log of the sandbox report about a failed call. */
export function setOutcome(
  { call }: FastifyRequest,
  form: ErrorForm,
  name: ErrorName,
  isOverload = false,
): void {
  call.errorCode = errors[name].code;
  call.outcome = isOverload ? overloaded : outcomeNameOf(form, name);
}

/** Errors that share the code of an internal error have their name: 9999 is a failure only. */
function outcomeNameOf(form: ErrorForm, name: ErrorName): string {
  const { code } = errors[name];
  const isShared = name !== 'internalError' && code === errors.internalError.code;
  return form === 'purchase' && !isShared ? String(code) : name;
}

/** For a call that a limit of this server ends. */
export function sendOverload(reply: FastifyReply, form: ErrorForm): FastifyReply {
  return sendError(reply, form, 'unavailable', { isOverload: true });
}

/** For a call without a valid token or key. */
export function sendUnauthorized(reply: FastifyReply, form: ErrorForm): FastifyReply {
  const expected =
    form === 'operator'
      ? '"Authorization: Bearer <operator key>" with a valid key'
      : '"Authorization: Bearer <access token>" with a valid access token';
  return sendError(reply, form, 'unauthorized', { detail: `Expected ${expected}.` });
}

/** The result of a route of the purchase or events API for Fastify. */
export function outcomeOf(reply: FastifyReply, outcome: object | Refusal): object {
  if (outcome instanceof Refusal) return sendError(reply, 'purchase', outcome.error, outcome);
  reply.header('content-type', jsonContentType);
  return outcome;
}

/** For a call without a route; `methods` are those that its path supports, and `detail` says why it has none. */
export function sendUnrouted(
  reply: FastifyReply,
  form: ErrorForm,
  { methods, detail: reason }: { readonly methods: readonly string[]; readonly detail?: string | undefined },
): FastifyReply {
  if (methods.length === 0) return sendError(reply, form, 'unknownPath', { detail: reason });
  reply.header('allow', methods.join(', '));
  const detail = `Expected ${methods.join(' or ')}, got ${reply.request.method}.`;
  return sendError(reply, form, 'methodNotAllowed', { detail });
}

/** For an error that was thrown while a call was handled; only the log gets its own message. */
export function sendThrown(reply: FastifyReply, form: ErrorForm, thrown: Thrown): FastifyReply {
  const name = reportThrown(reply.request, thrown);
  return sendError(reply, form, name, { isOverload: thrown.error instanceof Overloaded });
}

interface Thrown {
  readonly error: Error & Pick<Partial<FastifyError>, 'code' | 'statusCode'>;
  readonly log: Log;
}

/**
 * Logs what was thrown, and returns its name in the contract. Failures of the database, which many calls share, are logged by
 * `reportCall`.
 */
export function reportThrown({ id: requestId, call }: FastifyRequest, { error, log }: Thrown): ErrorName {
  const name = errorNameOf(error);
  if (error instanceof DatabaseUnavailable) call.databaseFailure = error;
  if (name === 'internalError') logAlert(log, 'callFailed', { err: error, requestId, ...callerOf(call) });
  return name;
}

/** Maps a thrown error to an error of the contract. */
function errorNameOf(error: Thrown['error']): ErrorName {
  if (error instanceof DatabaseUnavailable) return 'unavailable';
  // A path that leaves the folder of static files.
  if (error.code === 'FST_STATIC_FORBIDDEN_PATH') return 'unknownPath';
  switch (error.statusCode) {
    case errors.payloadTooLarge.status:
      return 'payloadTooLarge';
    case errors.tooManyRequests.status:
      return 'tooManyRequests';
    case errors.unavailable.status:
      return 'unavailable';
    case errors.malformedRequest.status:
    case errors.unsupportedMediaType.status:
      return 'malformedRequest';
    default:
      return 'internalError';
  }
}

interface RoutedPath {
  readonly method: string;
  /** With `:name` for each parameter. */
  readonly path: string;
}

/** With `allowsShort`, parameters at the end of the path may be missing: such a call lacks a value. */
export function allowedMethods(
  operations: readonly RoutedPath[],
  path: string,
  { allowsShort }: { readonly allowsShort: boolean },
): readonly string[] {
  const segments = path.split('/');
  const methods = operations
    .filter((operation) => isPathOf(operation.path.split('/'), segments, allowsShort))
    .map(({ method }) => method);
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

function isPathOf(pattern: readonly string[], segments: readonly string[], allowsShort: boolean): boolean {
  if (segments.length > pattern.length) return false;
  return pattern.every((part, index) => {
    const segment = segments[index];
    if (segment === undefined) return allowsShort && part.startsWith(':');
    return part.startsWith(':') || part === segment;
  });
}
