// Describes what is wrong with a response, or returns undefined. Checks are composed of these functions.

import { type ErrorName, errors } from '@opentill/contract/errors.ts';
import type { TObject } from 'typebox';
import { type Answer, fieldsOf, isObject, isSuccess, responseText } from './answer.ts';
import { shapeProblems } from './shapes.ts';
import type { Problem } from './verdict.ts';

/**
 * Errors of a rejected purchase call: the common ones except that for an invalid token. The specification does not assign
 * them to cases, so a check accepts each of them.
 */
export const refused = ['invalidRequest', 'notFound', 'internalError'] as const;

/** Describes the response unless it is as expected. */
export function expectThat(isAsExpected: boolean, expected: string, answer: Answer): Problem {
  return isAsExpected ? undefined : `${expected} ${responseText(answer)}`;
}

/** Expects a successful response of this shape. */
export function expectShape(answer: Answer, shape: TObject): Problem {
  if (!isSuccess(answer)) return expectSuccess(answer);
  const problems = shapeProblems(shape, answer.body);
  return expectThat(problems.length === 0, problems.join(' '), answer);
}

export function expectSuccess(answer: Answer): Problem {
  return expectThat(isSuccess(answer), 'Expected a successful response.', answer);
}

/** Expects a successful response whose fields have these values. */
export function expectFields(answer: Answer, expected: Readonly<Record<string, unknown>>): Problem {
  if (!isSuccess(answer)) return expectSuccess(answer);
  const fields = fieldsOf(answer);
  const wrong = Object.entries(expected).filter(([name, value]) => fields[name] !== value);
  const wanted = wrong.map(([name, value]) => `Expected ${name} ${JSON.stringify(value)}.`);
  return expectThat(wrong.length === 0, wanted.join(' '), answer);
}

/** Expects one of these errors, by code; a check of its own tests that a code is an integer. */
export function expectError(answer: Answer, ...names: readonly ErrorName[]): Problem {
  const { error } = fieldsOf(answer);
  const code = isObject(error) ? String(error['code']) : undefined;
  const codes = names.map((name) => String(errors[name].code));
  return expectThat(
    code !== undefined && codes.includes(code),
    `Expected an error with code ${codes.join(' or ')}.`,
    answer,
  );
}
