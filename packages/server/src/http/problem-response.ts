// Answers of the operator API and the sandbox API that say no: RFC 9457 problem details. On the public
// listener they also carry the `error` of the purchase API, so that its callers read one shape.

import type { FailureName } from '@opentill/contract/failures.ts';
import { type Problem, type ProblemEntry, type ProblemName, problems } from '@opentill/contract/problems.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { methodsExpected } from './allowed-methods.ts';
import { failureHeaders } from './failure-response.ts';
import type { WrittenRefusal } from './socket-failures.ts';

const problemContentType = 'application/problem+json;charset=utf-8';

/** Where a problem is answered: `public` adds the `error` member. */
export type ProblemAudience = 'public' | 'operator';

/** What is refused before an operation is known, in the terms of problems. */
function problemOfFailure(failure: FailureName): ProblemName {
  switch (failure) {
    case 'valueMissing':
    case 'invalidTokenRequest':
    case 'searchRuleViolated':
      return 'invalidRequest';
    case 'nothingFound':
    case 'invalidPackageName':
      return 'notFound';
    case 'notPurchaseCompleted':
    case 'consumptionUnchangeable':
    case 'severalRecords':
      return 'conflict';
    case 'eventsGone':
      return 'gone';
    case 'bodyTooLarge':
      return 'payloadTooLarge';
    default:
      return failure;
  }
}

const failureOfProblem = {
  unauthorized: 'unauthorized',
  unavailable: 'unavailable',
  tooManyRequests: 'tooManyRequests',
  payloadTooLarge: 'bodyTooLarge',
  malformedRequest: 'malformedRequest',
  requestTimeout: 'requestTimeout',
  headerTooLarge: 'headerTooLarge',
} as const satisfies Partial<Record<ProblemName, FailureName>>;

interface ToldProblem {
  readonly name: ProblemName;
  readonly detail?: string;
  readonly errors?: readonly ProblemEntry[];
}

/** A problem of the operator listener of which there is no request to reply to. */
export function writtenProblem(failure: FailureName): WrittenRefusal {
  return writeProblem('operator', { name: problemOfFailure(failure) });
}

export function sendProblem(
  reply: FastifyReply,
  audience: ProblemAudience,
  problem: ToldProblem,
): FastifyReply {
  const { status, headers, body } = writeProblem(audience, problem);
  reply.request.call.outcome = problem.name;
  return reply.code(status).headers(headers).send(body);
}

/** What is refused before an operation is known. */
export function sendFailureAsProblem(
  reply: FastifyReply,
  audience: ProblemAudience,
  failure: FailureName,
  message?: string,
): FastifyReply {
  const name = problemOfFailure(failure);
  return sendProblem(reply, audience, message === undefined ? { name } : { name, detail: message });
}

/** For a call of no route; `methods` are those that its path answers to. */
export function sendUnroutedProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  { methods, audience }: { readonly methods: readonly string[]; readonly audience: ProblemAudience },
): FastifyReply {
  if (methods.length === 0) return sendProblem(reply, audience, { name: 'unknownPath' });
  reply.header('allow', methods.join(', '));
  return sendProblem(reply, audience, {
    name: 'methodNotAllowed',
    detail: methodsExpected(request, methods),
  });
}

function writeProblem(audience: ProblemAudience, problem: ToldProblem): WrittenRefusal {
  const { type, title, status, code } = problems[problem.name];
  const detail = problem.detail ?? title;
  const body: Problem = {
    type,
    title,
    status,
    detail,
    ...(problem.errors !== undefined && { errors: [...problem.errors] }),
    ...(audience === 'public' && { error: { code, message: detail } }),
  };
  const failure = (failureOfProblem as Partial<Record<ProblemName, FailureName>>)[problem.name];
  const headers = {
    ...(failure !== undefined && failureHeaders(failure)),
    'content-type': problemContentType,
  };
  return { status, headers, body: JSON.stringify(body) };
}
