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
