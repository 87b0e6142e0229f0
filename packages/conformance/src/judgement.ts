// Describes what is wrong with a response, or returns undefined. Checks are composed of these functions.

import { type ErrorName, errors } from '@opentill/contract/errors.ts';
import type { TObject } from 'typebox';
import { fieldsOf, type HttpResponse, isObject, isSuccess, responseText } from './http-response.ts';
import { shapeProblems } from './shapes.ts';
import type { Problem } from './verdict.ts';

/**
 * Errors of a rejected purchase call: the common ones except that for an invalid token. The specification does not assign
 * them to cases, so a check accepts each of them.
 */
export const refused = ['invalidRequest', 'notFound', 'internalError'] as const;

/** Describes the response unless it is as expected. */
export function expectThat(isAsExpected: boolean, expected: string, response: HttpResponse): Problem {
  return isAsExpected ? undefined : `${expected} ${responseText(response)}`;
}

/** Expects a successful response of this shape. */
export function expectShape(response: HttpResponse, shape: TObject): Problem {
  if (!isSuccess(response)) return expectSuccess(response);
  const problems = shapeProblems(shape, response.body);
  return expectThat(problems.length === 0, problems.join(' '), response);
}

export function expectSuccess(response: HttpResponse): Problem {
  return expectThat(isSuccess(response), 'Expected a successful response.', response);
}

/** Expects a successful response whose fields have these values. */
export function expectFields(response: HttpResponse, expected: Readonly<Record<string, unknown>>): Problem {
  if (!isSuccess(response)) return expectSuccess(response);
  const fields = fieldsOf(response);
  const wrong = Object.entries(expected).filter(([name, value]) => fields[name] !== value);
  const wanted = wrong.map(([name, value]) => `Expected ${name} ${JSON.stringify(value)}.`);
  return expectThat(wrong.length === 0, wanted.join(' '), response);
}

/** Expects one of these errors, by code; a check of its own tests that a code is an integer. */
export function expectError(response: HttpResponse, ...names: readonly ErrorName[]): Problem {
  const { error } = fieldsOf(response);
  const code = isObject(error) ? String(error['code']) : undefined;
  const codes = names.map((name) => String(errors[name].code));
  return expectThat(
    code !== undefined && codes.includes(code),
    `Expected an error with code ${codes.join(' or ')}.`,
    response,
  );
}
