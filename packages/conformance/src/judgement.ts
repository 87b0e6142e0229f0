// Describes what is wrong with a response, or returns undefined. Checks are composed of these functions.

import type { TObject } from 'typebox';
import { type Answer, errorCodeOf, fieldsOf, isSuccess, responseText } from './answer.ts';
import { shapeProblems } from './shapes.ts';

export type Problem = string | undefined;

/** Expects a successful response of this shape. */
export function expectShape(answer: Answer, shape: TObject): Problem {
  if (!isSuccess(answer)) return expectSuccess(answer);
  const problems = shapeProblems(shape, answer.body);
  return problems.length === 0 ? undefined : `${problems.join(' ')} ${responseText(answer)}`;
}

export function expectSuccess(answer: Answer): Problem {
  return isSuccess(answer) ? undefined : `Expected a successful response. ${responseText(answer)}`;
}

/** Expects a successful response whose fields have these values. */
export function expectFields(answer: Answer, expected: Readonly<Record<string, unknown>>): Problem {
  if (!isSuccess(answer)) return expectSuccess(answer);
  const fields = fieldsOf(answer);
  const wrong = Object.entries(expected).filter(([name, value]) => fields[name] !== value);
  if (wrong.length === 0) return undefined;
  const wanted = wrong.map(([name, value]) => `Expected ${name} ${JSON.stringify(value)}.`);
  return `${wanted.join(' ')} ${responseText(answer)}`;
}

/** Expects an error with one of these codes. */
export function expectError(answer: Answer, codes: readonly number[]): Problem {
  if (codes.includes(errorCodeOf(answer))) return undefined;
  return `Expected an error with code ${codes.join(' or ')}. ${responseText(answer)}`;
}
