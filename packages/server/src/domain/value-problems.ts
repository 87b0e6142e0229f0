// What the checks of a schema tell, read once for all who refuse a value: a field that does not belong, one that is
// missing, or what was expected where something else came. In whose words that is told is not known here.

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
  return errors.flatMap(({ params, message, instancePath: pointer }): ValueProblem[] => {
    const { additionalProperties, requiredProperties } = params as SchemaErrorNames;
    if (additionalProperties !== undefined)
      return [{ kind: 'unknown', pointer, names: additionalProperties }];
    if (requiredProperties !== undefined) return [{ kind: 'missing', pointer, names: requiredProperties }];
    // Beside the error that names the field.
    if (message === 'schema is false') return [];
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
