// The errors of a schema, as those read them who refuse a value.

import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { valueProblems } from '../../src/domain/value-problems.ts';

const schema = Type.Object(
  {
    id: Type.String(),
    parts: Type.Array(
      Type.Object(
        { state: Type.Union([Type.Literal('on'), Type.Literal('off')]) },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
const checks = Compile(schema);
const problemsOf = (value: unknown) => valueProblems(checks.Errors(value));

test('fields that are missing or do not belong are named, once, with the object that they are of', () => {
  expect(problemsOf({ id: 'x', parts: [{ state: 'on', colour: 1, size: 2 }] })).toEqual([
    { kind: 'unknown', pointer: '/parts/0', names: ['colour', 'size'] },
  ]);
  expect(problemsOf({})).toEqual([{ kind: 'missing', pointer: '', names: ['id', 'parts'] }]);
});

test('a value of another kind tells what was expected, and a choice all that it allows', () => {
  expect(problemsOf({ id: 1, parts: [] })).toEqual([
    { kind: 'unexpected', pointer: '/id', expected: 'must be string', allowed: undefined },
  ]);
  const [choice, ...others] = problemsOf({ id: 'x', parts: [{ state: 'half' }] });
  expect(choice).toMatchObject({ kind: 'unexpected', pointer: '/parts/0/state', allowed: ['on', 'off'] });
  expect(new Set(others.map(({ pointer }) => pointer))).toEqual(new Set(['/parts/0/state']));
});

test('fields that do not belong are named, however many there are', () => {
  for (const count of [8, 999, 1_000, 5_000]) {
    const unknown = Array.from({ length: count }, (_, index) => `a/~${index}`);
    const value = { id: 'x', parts: [], ...Object.fromEntries(unknown.map((name) => [name, 1])) };
    const problems = problemsOf(value);
    expect(new Set(problems.map(({ kind, pointer }) => `${kind} ${pointer}`))).toEqual(new Set(['unknown ']));
    const names = problems.flatMap((problem) => (problem.kind === 'unexpected' ? [] : problem.names));
    expect(names).toEqual(unknown.slice(0, 1_000));
  }
});

test('a choice tells all that it allows, however much that is', () => {
  const values = Array.from({ length: 40 }, (_, index) => `value ${index}`);
  const choice = Compile(Type.Object({ of: Type.Union(values.map((value) => Type.Literal(value))) }));
  expect(valueProblems(choice.Errors({ of: 'none' }))[0]).toMatchObject({ pointer: '/of', allowed: values });
});
