// What the checks of a schema tell, read once for all who refuse a value: a field that does not belong, one that is
// missing, or what was expected where something else came. In whose words that is told is not known here.

import { Settings } from 'typebox/system';
import Value from 'typebox/value';

/**
 * Errors told of one value at most: TypeBox stops at 8, which leaves out what a choice allows beside. A body has room for
 * thousands of wrong fields, of which nobody reads that many.
 */
const errorsMax = 1_000;

Settings.Set({ maxErrors: errorsMax });

/** An error as TypeBox gives it. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** `pointer`: the JSON pointer of the object that names belong to, else of the value itself. */
export type ValueProblem =
  | { readonly kind: 'unknown' | 'missing'; readonly pointer: string; readonly names: readonly string[] }
  | {
      readonly kind: 'unexpected';
      readonly pointer: string;
      readonly expected: string;
      /** Of a choice between values, all of them. */
      readonly allowed: readonly unknown[] | undefined;
    };

/** In the order of the errors. Of a choice every value is an error of its own: the same problem comes as often. */
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
    const { additionalProperties, requiredProperties } = params as SchemaErrorNames;
    if (additionalProperties !== undefined)
      return [{ kind: 'unknown', pointer, names: additionalProperties }];
    if (requiredProperties !== undefined) return [{ kind: 'missing', pointer, names: requiredProperties }];
    // Comes before the error that names all such fields of the object, which is missing after too many of them.
    if (message === 'schema is false') {
      const object = pointer.slice(0, pointer.lastIndexOf('/'));
      const names = Value.Pointer.Indices(pointer).slice(-1);
      return named.has(object) ? [] : [{ kind: 'unknown', pointer: object, names }];
    }
    const allowed = choices.get(pointer)?.map(({ params: choice }) => (choice as Choice).allowedValue);
    return [{ kind: 'unexpected', pointer, expected: message, allowed }];
  });
}

interface SchemaErrorNames {
  readonly additionalProperties?: readonly string[];
  readonly requiredProperties?: readonly string[];
}

interface Choice {
  readonly allowedValue?: unknown;
}
