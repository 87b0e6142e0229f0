// Checks the path, query and body of a call against its contract, converts query values, and reports each invalid value
// with what was expected and what was received.

import type { ProblemEntry } from '@opentill/contract/errors.ts';
import type { FastifyReply, preHandlerHookHandler } from 'fastify';
import Type, { type TObject, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import Value from 'typebox/value';
import { parseWithNumbersAsSent, quoteJson, quoteValue } from '../domain/text/quoted-value.ts';
import { type SchemaError, type ValueProblem, valueProblems } from '../domain/text/value-problems.ts';
import { memoize } from '../runtime/memoize.ts';
import { type ErrorForm, sendError } from './error-response.ts';

interface CallContract {
  readonly pathParameters: Readonly<Record<string, TSchema>>;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly bodyOptional?: true;
}

type Values = Readonly<Record<string, unknown>>;

interface ValidCall {
  readonly query: Values;
  readonly body: Values;
}

/** `path`: nothing can have the ids in it. */
interface RejectedCall {
  readonly rejected: 'path' | 'values';
  readonly errors: readonly ProblemEntry[];
}

/** A call as it was received; `bodyText` is the JSON of the body. */
interface SentCall {
  readonly path: unknown;
  readonly url: string;
  readonly query: unknown;
  readonly body: unknown;
  readonly bodyText: string;
}

/** Errors reported for one call. */
const errorsMax = 10;

/** Shared by all servers of the process. */
const checksOf = memoize((contract: CallContract) => {
  const querySchema = contract.query ?? Type.Object({});
  return {
    path: Compile(Type.Object({ ...contract.pathParameters })),
    querySchema,
    query: Compile(querySchema),
    body: contract.body === undefined ? undefined : Compile(contract.body),
  };
});

/** Puts the values of a call in place of what was sent, or responds to a call with invalid ones. */
export function decodeCall(form: ErrorForm, contract: CallContract): preHandlerHookHandler {
  return (request, reply, done) => {
    const { params: path, url, query, body } = request;
    const call = decoded(contract, { path, url, query, body, bodyText: request.call.bodyText });
    if ('rejected' in call) {
      sendRejected(reply, form, call);
      return;
    }
    request.query = call.query;
    request.body = call.body;
    done();
  };
}

/** For a call with invalid values. */
export function sendRejected(reply: FastifyReply, form: ErrorForm, call: RejectedCall): FastifyReply {
  const detail = call.errors.map(({ path, message }) => `${path || 'body'}: ${message}`).join('; ');
  const name = call.rejected === 'path' ? 'notFound' : 'invalidRequest';
  return sendError(reply, form, name, { detail: `${detail}.`, errors: call.errors });
}

/** The checks are compiled at the first call of an operation, to keep the start short. */
function decoded(contract: CallContract, call: SentCall): ValidCall | RejectedCall {
  const { path, querySchema, query, body } = checksOf(contract);
  if (!path.Check(call.path))
    return { rejected: 'path', errors: entriesOf(path.Errors(call.path), call.path, 'path') };
  const undecodable = undecodableParameter(call.url);
  if (undecodable !== undefined) return { rejected: 'values', errors: [undecodable] };
  const queryValues = convertedQuery(querySchema, call.query as Values);
  if (!query.Check(queryValues)) {
    return { rejected: 'values', errors: entriesOf(query.Errors(queryValues), queryValues, 'query') };
  }
  const isOmitted = call.body === undefined && contract.bodyOptional === true;
  const bodyValues = isOmitted ? {} : call.body;
  if (body !== undefined && !body.Check(bodyValues)) {
    if (bodyValues === undefined) {
      return {
        rejected: 'values',
        errors: [{ path: '', message: 'expected a JSON object in the body, got none' }],
      };
    }
    const shown = valuesAsSent(call);
    return { rejected: 'values', errors: entriesOf(body.Errors(bodyValues), shown, 'body') };
  }
  return { query: queryValues, body: body === undefined ? {} : (bodyValues as Values) };
}

/** Other texts, such as `1.5`, `0x10` or an empty one, remain text and are rejected. */
const wholeNumber = /^[0-9]{1,15}$/;

function convertedQuery({ properties }: TObject, query: Values): Values {
  const converted = Object.entries(query).map(([name, value]) => {
    const { type } = (properties[name] ?? {}) as { readonly type?: string };
    const isNumber = type === 'integer' && typeof value === 'string' && wholeNumber.test(value);
    const isTrue = type === 'boolean' && value === 'true';
    return [name, isNumber ? Number(value) : isTrue || value];
  });
  return Object.fromEntries(converted);
}

function valuesAsSent({ body, bodyText }: SentCall): unknown {
  try {
    return parseWithNumbersAsSent(bodyText);
  } catch {
    // Only JSON.parse without a reviver can read any depth of nesting.
    return body;
  }
}

type Place = 'path' | 'query' | 'body';

/** One entry for each unknown field, missing value or invalid value. */
function entriesOf(errors: readonly SchemaError[], values: unknown, where: Place): ProblemEntry[] {
  const entries = new Map<string, ProblemEntry>();
  for (const problem of valueProblems(errors)) {
    if (problem.kind === 'unexpected') {
      const path = pathOf(problem.pointer, where);
      if (!entries.has(path)) entries.set(path, { path, message: unexpectedValue(problem, values) });
      continue;
    }
    const message = problem.kind === 'unknown' ? 'unknown field' : 'expected a value, got none';
    for (const name of problem.names) {
      const path = pathOf(`${problem.pointer}/${name}`, where);
      entries.set(path, { path, message });
    }
  }
  return [...entries.values()].slice(0, errorsMax);
}

function unexpectedValue(
  { pointer, expected, allowed }: Extract<ValueProblem, { kind: 'unexpected' }>,
  values: unknown,
): string {
  const expectation =
    allowed === undefined
      ? expected.replace(/^must (be )?/, (_, be) => (be === undefined ? 'expected to ' : 'expected '))
      : `expected ${allowed.map(quoteJson).join(' or ')}`;
  return `${expectation}, got ${quoteJson(Value.Pointer.Get(values, pointer))}`;
}

function pathOf(pointer: string, where: Place): string {
  return where === 'body' ? pointer : pointer.slice(1);
}

/** The first parameter in the query of a URL that is not percent-encoded UTF-8. */
export function undecodableParameter(url: string): ProblemEntry | undefined {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return undefined;
  const pair = url
    .slice(start + 1)
    .split('&')
    .find((text) => !isDecodable(text));
  if (pair === undefined) return undefined;
  const [name = '', ...value] = pair.split('=');
  return { path: name, message: `expected percent-encoded UTF-8, got ${quoteValue(value.join('='))}` };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
