// Checks path, query and body of a call against its contract, and turns the texts of a query into the values
// that the contract names. What is refused is told value by value: what was expected, and what came.

import type { ProblemEntry } from '@opentill/contract/errors.ts';
import Type, { type TObject, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import Value from 'typebox/value';
import { shownJson } from '../domain/shown-value.ts';
import { type SchemaError, type ValueProblem, valueProblems } from '../domain/value-problems.ts';
import { remembered } from '../runtime/remembered.ts';

interface CallContract {
  readonly pathParameters: Readonly<Record<string, TSchema>>;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly bodyOptional?: true;
}

type Values = Readonly<Record<string, unknown>>;

type DecodedCall =
  | { readonly path: Readonly<Record<string, string>>; readonly query: Values; readonly body: Values }
  | { readonly refused: 'path' }
  | { readonly refused: 'values'; readonly errors: readonly ProblemEntry[] };

/** Errors told for one call at most. */
const errorsMax = 10;

/** Kept for all servers of the process. */
const checksOf = remembered((contract: CallContract) => {
  const querySchema = contract.query ?? Type.Object({});
  return {
    path: Compile(Type.Object({ ...contract.pathParameters })),
    querySchema,
    query: Compile(querySchema),
    body: contract.body === undefined ? undefined : Compile(contract.body),
  };
});

/** A decoder for one operation; its checks are compiled with the first call, which keeps them out of the start. */
export function callDecoder(
  contract: CallContract,
): (call: { path: unknown; query: unknown; body: unknown }) => DecodedCall {
  return (call) => {
    const { path, querySchema, query, body } = checksOf(contract);
    if (!path.Check(call.path)) return { refused: 'path' };
    const queryValues = convertedQuery(querySchema, call.query as Values);
    if (!query.Check(queryValues)) {
      return { refused: 'values', errors: entriesOf(query.Errors(queryValues), queryValues, 'query') };
    }
    const isLeftOut = call.body === undefined && contract.bodyOptional === true;
    const bodyValues = isLeftOut ? {} : call.body;
    if (body !== undefined && !body.Check(bodyValues)) {
      if (bodyValues === undefined) {
        return {
          refused: 'values',
          errors: [{ path: '', message: 'expected a JSON object in the body, got none' }],
        };
      }
      return { refused: 'values', errors: entriesOf(body.Errors(bodyValues), bodyValues, 'body') };
    }
    return {
      path: call.path as Record<string, string>,
      query: queryValues,
      body: body === undefined ? {} : (bodyValues as Values),
    };
  };
}

/** Digits alone are a whole number: `1.5`, `0x10`, `true` or nothing stays text, and is refused as such. */
const wholeNumber = /^[0-9]{1,15}$/;

function convertedQuery({ properties }: TObject, query: Values): Values {
  const converted = Object.entries(query).map(([name, value]) => {
    const { type } = (properties[name] ?? {}) as { readonly type?: string };
    const isNumber = type === 'integer' && typeof value === 'string' && wholeNumber.test(value);
    return [name, isNumber ? Number(value) : value];
  });
  return Object.fromEntries(converted);
}

/** One entry for each value: a field that does not belong, or what was expected where something else came. */
function entriesOf(errors: readonly SchemaError[], values: unknown, where: 'query' | 'body'): ProblemEntry[] {
  const entries = new Map<string, ProblemEntry>();
  for (const problem of valueProblems(errors)) {
    if (problem.kind === 'unexpected') {
      const path = pathOf(problem.pointer, where);
      if (!entries.has(path)) entries.set(path, { path, message: unexpected(problem, values) });
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

function unexpected(
  { pointer, expected, allowed }: Extract<ValueProblem, { kind: 'unexpected' }>,
  values: unknown,
): string {
  const wanted =
    allowed === undefined
      ? expected.replace(/^must (be )?/, (_, be) => (be === undefined ? 'expected to ' : 'expected '))
      : `expected ${allowed.map(shownJson).join(' or ')}`;
  return `${wanted}, got ${shownJson(Value.Pointer.Get(values, pointer))}`;
}

function pathOf(pointer: string, where: 'query' | 'body'): string {
  return where === 'query' ? pointer.slice(1) : pointer;
}
