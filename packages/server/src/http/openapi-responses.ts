// The error answers of an operation, as an OpenAPI document lists them: one response for each HTTP status,
// which names every code that may come with it. What all operations share stands in the components once.

import { commonFailures, type FailureName, failures } from '@opentill/contract/failures.ts';
import { commonProblems, type ProblemName, problems } from '@opentill/contract/problems.ts';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { ProblemAudience } from './problem-response.ts';

type Response = OpenAPIV3_1.ResponseObject;
type Responses = Record<string, Response | OpenAPIV3_1.ReferenceObject>;

export const headers: Record<string, OpenAPIV3_1.HeaderObject> = {
  'x-request-id': {
    description: 'Names this call in the log of the server and with every change that it made.',
    schema: { type: 'string' },
  },
  'www-authenticate': { description: 'Always `Bearer`.', schema: { type: 'string' } },
  'retry-after': { description: 'Seconds after which to come again.', schema: { type: 'integer' } },
  allow: {
    description: 'With 405: the methods that the path answers to.',
    schema: { type: 'string' },
  },
};

export function headerReferences(...names: string[]): Record<string, OpenAPIV3_1.ReferenceObject> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** One way to fail, of either table. */
interface ErrorRow {
  readonly name: string;
  readonly status: number;
  /** Of the description: what a caller finds in the body, and what it means. */
  readonly text: string;
  readonly body: object;
}

/** An API by the form of its errors. */
interface ErrorForm {
  /** Begins the names of the components. */
  readonly prefix: string;
  readonly contentType: string;
  readonly schema: OpenAPIV3_1.ReferenceObject;
}

const failureForm: ErrorForm = {
  prefix: 'failure',
  contentType: 'application/json',
  schema: { $ref: '#/components/schemas/PurchaseApiError' },
};

const problemForm = (audience: ProblemAudience): ErrorForm => ({
  prefix: audience === 'public' ? 'sandbox' : 'problem',
  contentType: 'application/problem+json',
  schema: { $ref: '#/components/schemas/Problem' },
});

function failureRow(name: FailureName): ErrorRow {
  const { code, httpStatus, message } = failures[name];
  // A description is CommonMark, which takes `<access token>` for HTML.
  const text = `\`${code}\` ${name}: ${message.replaceAll('<', '\\<')}`;
  return { name, status: httpStatus, text, body: { error: { code, message } } };
}

function problemRow(name: ProblemName, audience: ProblemAudience): ErrorRow {
  const { type, title, status, code } = problems[name];
  const error = audience === 'public' && { error: { code, message: title } };
  return {
    name,
    status,
    text: `\`${type}\`: ${title}`,
    body: { type, title, status, detail: title, ...error },
  };
}

export interface ErrorComponents {
  /** The errors of one operation of the purchase API. */
  ofFailures(names: readonly FailureName[]): Responses;
  /** The errors of one operation of the sandbox API (`public`) or the operator API. */
  ofProblems(names: readonly ProblemName[], audience: ProblemAudience): Responses;
  /** Every response referred to so far, by name. */
  collected(): Record<string, Response>;
}

export function errorComponents(): ErrorComponents {
  const components = new Map<string, Response>();

  const refer = (name: string, component: Response): OpenAPIV3_1.ReferenceObject => {
    components.set(name, component);
    return { $ref: `#/components/responses/${name}` };
  };
  /** A status with one way to fail refers to a component; several ways stand together in place. */
  const responses = (rows: readonly ErrorRow[], others: readonly ErrorRow[], form: ErrorForm): Responses => {
    const byStatus = [...Map.groupBy(rows, ({ status }) => status)].map(
      ([status, group]): [string, Responses[string]] => {
        const [only, ...more] = group;
        const isAlone = only !== undefined && more.length === 0;
        const whole = response(group, form);
        return [String(status), isAlone ? refer(`${form.prefix}.${only.name}`, whole) : whole];
      },
    );
    const other = refer(`${form.prefix}.other`, otherResponse(others, form));
    return { ...Object.fromEntries(byStatus), default: other };
  };
  return {
    ofFailures(names) {
      const rows = [...names, ...commonFailures].map(failureRow);
      return responses(rows, refusedBefore.map(failureRow), failureForm);
    },
    ofProblems(names, audience) {
      const rowOf = (name: ProblemName) => problemRow(name, audience);
      const rows = [...names, ...commonProblems].map(rowOf);
      return responses(rows, refusedBefore.map(rowOf), problemForm(audience));
    },
    collected: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** What no operation lists: the call is refused before its operation is known. */
const refusedBefore = ['malformedRequest', 'unknownPath', 'methodNotAllowed', 'requestTimeout'] as const;

function otherResponse(rows: readonly ErrorRow[], form: ErrorForm): Response {
  const statuses = rows.map(({ status, text }) => `${status}: ${text}`).join('\n\n');
  return {
    ...response(rows, form),
    description: `Refused before an operation was found.\n\n${statuses}`,
  };
}

function response(rows: readonly ErrorRow[], { contentType, schema }: ErrorForm): Response {
  const statuses = new Set(rows.map(({ status }) => status));
  return {
    description: rows.map(({ text }) => text).join('\n\n'),
    headers: headerReferences(
      'x-request-id',
      ...(statuses.has(401) ? ['www-authenticate'] : []),
      ...(statuses.has(405) ? ['allow'] : []),
      ...(statuses.has(429) || statuses.has(503) ? ['retry-after'] : []),
    ),
    content: {
      [contentType]: {
        schema,
        examples: Object.fromEntries(rows.map(({ name, body }) => [name, { value: body }])),
      },
    },
  };
}
