// The responses of an operation as @fastify/swagger reads them: its successes, and each status of its errors with every
// code that may come with it.

import {
  commonErrors,
  commonProblems,
  type ErrorName,
  errors,
  protocolErrors,
  protocolProblems,
} from '@opentill/contract/errors.ts';
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

function codeRow(name: ErrorName): ErrorRow {
  const { code, status, title } = errors[name];
  return { status, text: `\`${code}\` ${name}: ${title}` };
}

function typeRow(name: ErrorName): ErrorRow {
  const { type, status, title } = errors[name];
  return { status, text: `\`${type}\`: ${title}` };
}

/** The errors of an operation of the purchase API or the events API. */
export function codeResponses(names: readonly ErrorName[]): Responses {
  const content = { 'application/json': { schema: { $ref: 'PurchaseApiError#' } } };
  return errorResponses([...names, ...commonErrors].map(codeRow), protocolErrors.map(codeRow), content);
}

/** The errors of an operation of the sandbox API or the operator API. */
export function problemResponses(names: readonly ErrorName[]): Responses {
  const content = { 'application/problem+json': { schema: { $ref: 'Problem#' } } };
  return errorResponses([...names, ...commonProblems].map(typeRow), protocolProblems.map(typeRow), content);
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
