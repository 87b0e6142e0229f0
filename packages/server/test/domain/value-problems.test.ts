// Schema errors in the form that rejections use.

import { Currency } from '@opentill/contract/fields.ts';
import { eventsOperations, operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import { meaningOf } from '@opentill/contract/patterns.ts';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { valueProblems } from '../../src/domain/text/value-problems.ts';
import { transferKinds } from '../../src/store/transfer/kinds.ts';

const strict = { additionalProperties: false };
const part = Type.Object({ state: Type.Union([Type.Literal('on'), Type.Literal('off')]) }, strict);
const checks = Compile(Type.Object({ id: Type.String(), parts: Type.Array(part) }, strict));
const problemsOf = (value: unknown) => valueProblems(checks.Errors(value));

test('missing and unknown fields are each named once, with the object they belong to', () => {
  expect(problemsOf({ id: 'x', parts: [{ state: 'on', colour: 1, size: 2 }] })).toEqual([
    { kind: 'unknown', pointer: '/parts/0', names: ['colour', 'size'] },
  ]);
  expect(problemsOf({})).toEqual([{ kind: 'missing', pointer: '', names: ['id', 'parts'] }]);
});

test('an unexpected value is reported with what was expected, and a choice with all allowed values', () => {
  expect(problemsOf({ id: 1, parts: [] })).toEqual([
    { kind: 'unexpected', pointer: '/id', expected: 'must be string', allowed: undefined },
  ]);
  const [choice, ...others] = problemsOf({ id: 'x', parts: [{ state: 'half' }] });
  expect(choice).toMatchObject({ kind: 'unexpected', pointer: '/parts/0/state', allowed: ['on', 'off'] });
  expect(new Set(others.map(({ pointer }) => pointer))).toEqual(new Set(['/parts/0/state']));
});

test('a pattern is reported in words', () => {
  const [problem] = valueProblems(Compile(Type.Object({ currency: Currency })).Errors({ currency: 'eur' }));
  expect(problem).toMatchObject({ expected: 'must be three capital letters, such as EUR' });
});

test('every pattern of the contract and of an import has words', () => {
  const schemas = [...purchaseOperations, ...operatorOperations, ...eventsOperations, ...transferKinds];
  const found = JSON.stringify(schemas).matchAll(/"pattern":("(?:[^"\\\\]|\\\\.)*")/g);
  const patterns = new Set([...found].map(([, pattern = '']) => JSON.parse(pattern)));
  expect(patterns.size).toBeGreaterThan(5);
  expect([...patterns].filter((pattern) => meaningOf(pattern) === undefined)).toEqual([]);
});
