// Maps schema errors to problems: unknown fields, missing fields and unexpected values. The callers word the messages.

import { meaningOf } from '@opentill/contract/patterns.ts';
import { Settings } from 'typebox/system';
import Value from 'typebox/value';

/**
 * Errors that are reported for one value. TypeBox stops at 8 by default, which would omit some of the values that a choice
 * allows; a body may have thousands of invalid fields.
 */
const errorsMax = 1_000;

Settings.Set({ maxErrors: errorsMax });

/** An error from TypeBox. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** `pointer` is the JSON pointer of the object that has or lacks `names`, or of the unexpected value. */
export type ValueProblem =
  | { readonly kind: 'unknown' | 'missing'; readonly pointer: string; readonly names: readonly string[] }
  | {
      readonly kind: 'unexpected';
      readonly pointer: string;
      readonly expected: string;
      /** All values of a choice; undefined if the schema is not a choice. */
      readonly allowed: readonly unknown[] | undefined;
    };

/** In the order of the errors. A choice has one error for each of its values, so its problem may be repeated. */
export function valueProblems(errors: readonly SchemaError[]): ValueProblem[] {
  const choices = Map.groupBy(
    errors.filter(({ keyword }) => keyword === 'const'),
    ({ instancePath }) => instancePath,
  );
  const named = new Set(
    errors
      .filter(({ keyword }) => keyword === 'additionalProperties')
      .map(({ instancePath }) => instancePath),
  );
  return errors.flatMap(({ params, message, instancePath: pointer }): ValueProblem[] => {
    const { additionalProperties, requiredProperties, pattern } = params as SchemaErrorParams;
    if (additionalProperties !== undefined)
      return [{ kind: 'unknown', pointer, names: additionalProperties }];
    if (requiredProperties !== undefined) return [{ kind: 'missing', pointer, names: requiredProperties }];
    // Precedes the error that names all unknown fields of the object, which is missing if there are too many of them.
    if (message === 'schema is false') {
      const object = pointer.slice(0, pointer.lastIndexOf('/'));
      const names = Value.Pointer.Indices(pointer).slice(-1);
      return named.has(object) ? [] : [{ kind: 'unknown', pointer: object, names }];
    }
    const expected = pattern === undefined ? message : `must be ${meaningOf(pattern) ?? pattern}`;
    const allowed = choices.get(pointer)?.map(({ params: choice }) => (choice as Choice).allowedValue);
    return [{ kind: 'unexpected', pointer, expected, allowed }];
  });
}

interface SchemaErrorParams {
  readonly additionalProperties?: readonly string[];
  readonly requiredProperties?: readonly string[];
  readonly pattern?: string;
}

interface Choice {
  readonly allowedValue?: unknown;
}
