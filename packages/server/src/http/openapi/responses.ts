// The responses of an operation as @fastify/swagger reads them: its successes, and each status of its errors with every
// code that may come with it.

import { commonFailures, type FailureName, failures } from '@opentill/contract/failures.ts';
import { commonProblems, type ProblemName, problems } from '@opentill/contract/problems.ts';
import type { TSchema } from 'typebox';

type Responses = Readonly<Record<string, object>>;

const headers = {
  'www-authenticate': { type: 'string', description: 'Always `Bearer`.' },
  'retry-after': { type: 'integer', description: 'Seconds to wait before a retry.' },
  allow: { type: 'string', description: 'The methods that the path supports.' },
};

const headersOfStatus: Readonly<Record<number, keyof typeof headers>> = {
  401: 'www-authenticate',
  405: 'allow',
  429: 'retry-after',
  503: 'retry-after',
};

const successTexts: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created by this call.',
  204: 'Success, without a body.',
};

export function successes(schemas: Readonly<Record<number, TSchema>>): Responses {
  const entries = Object.entries(schemas).map(([status, schema]): [string, object] => {
    const description = successTexts[status] ?? 'Success.';
    if (status === '204') return [status, { description, ...schema }];
    return [status, { description, content: { 'application/json': { schema } } }];
  });
  return Object.fromEntries(entries);
}

interface ErrorRow {
  readonly status: number;
  /** The code or type that a caller finds in the body, and its meaning. */
  readonly text: string;
}

/** No operation lists these: the request is rejected before its operation is known. */
const rejectedEarly = ['malformedRequest', 'unknownPath', 'methodNotAllowed', 'requestTimeout'] as const;

function failureRow(name: FailureName): ErrorRow {
  const { code, httpStatus, message } = failures[name];
  // A description is CommonMark, which would read `<access token>` as HTML.
  return { status: httpStatus, text: `\`${code}\` ${name}: ${message.replaceAll('<', '\\<')}` };
}

function problemRow(name: ProblemName): ErrorRow {
  const { type, title, status } = problems[name];
  return { status, text: `\`${type}\`: ${title}` };
}

/** The errors of an operation of the purchase API or the events API. */
export function failureResponses(names: readonly FailureName[]): Responses {
  const content = { 'application/json': { schema: { $ref: 'PurchaseApiError#' } } };
  return errorResponses(
    [...names, ...commonFailures].map(failureRow),
    rejectedEarly.map(failureRow),
    content,
  );
}

/** The errors of an operation of the sandbox API or the operator API. */
export function problemResponses(names: readonly ProblemName[]): Responses {
  const content = { 'application/problem+json': { schema: { $ref: 'Problem#' } } };
  return errorResponses(
    [...names, ...commonProblems].map(problemRow),
    rejectedEarly.map(problemRow),
    content,
  );
}

function errorResponses(rows: readonly ErrorRow[], others: readonly ErrorRow[], content: object): Responses {
  const response = (group: readonly ErrorRow[], text: (row: ErrorRow) => string, introduction = '') => {
    const names = group.flatMap(({ status }) => headersOfStatus[status] ?? []);
    return {
      description: `${introduction}${group.map(text).join('\n\n')}`,
      ...(names.length > 0 && { headers: Object.fromEntries(names.map((name) => [name, headers[name]])) }),
      content,
    };
  };
  const byStatus = [...Map.groupBy(rows, ({ status }) => status)].map(([status, group]) => [
    String(status),
    response(group, ({ text }) => text),
  ]);
  const other = response(
    others,
    ({ status, text }) => `${status}: ${text}`,
    'Rejected before an operation was found.\n\n',
  );
  return { ...Object.fromEntries(byStatus), default: other };
}
