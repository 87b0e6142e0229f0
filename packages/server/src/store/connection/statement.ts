// A named prepared statement with the shape of its rows: what every other file of the store is made of.

import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

export interface Statement<Row> {
  /** Names the prepared statement on each connection: one text for one name. */
  readonly name: string;
  readonly text: string;
  /** Its rows come as lists of columns, not as objects. */
  readonly rowMode: 'array' | undefined;
  /** Checks one row as it came; a row of another shape is a fault of ours and throws. */
  readonly read: (row: unknown) => Row;
}

/**
 * Declares a statement; its columns are named as the properties of `row` (`purchase_id as "purchaseId"`). Where rows
 * come by the thousand each second, `ofColumns` makes each of its columns, in their order: that is faster than the
 * driver, which sets them by name.
 */
export function statement<Row extends TObject>(definition: {
  name: string;
  text: string;
  row: Row;
  ofColumns?: (columns: readonly unknown[]) => Readonly<Record<keyof Static<Row>, unknown>>;
}): Statement<Static<Row>> {
  const { ofColumns } = definition;
  const compile = () => Compile(definition.row);
  // Compiled with the first row: to compile all of them would hold up every start.
  let shape: ReturnType<typeof compile> | undefined;
  return {
    name: definition.name,
    text: definition.text,
    rowMode: ofColumns === undefined ? undefined : 'array',
    read(came) {
      const row = ofColumns === undefined ? came : ofColumns(came as unknown[]);
      shape ??= compile();
      if (shape.Check(row)) return row;
      const [problem] = shape.Errors(row);
      throw new Error(`Statement ${definition.name} gave a row of another shape: ${JSON.stringify(problem)}`);
    },
  };
}

/** A column that may be null. */
export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** A column of bytes, which the driver gives as a Buffer. */
export const Bytes = Type.Unsafe<Buffer>({});

/** The rows of a statement that returns none. */
export const NoRow = Type.Object({});

const quotedSpecial = /["\\]/g;

/**
 * The text form of a text[] parameter, for the statements of the hot paths: pg's own form takes two replacements for
 * each element. Every element is quoted, so that `NULL` and the empty text remain texts.
 */
export function textArray(values: readonly string[]): string {
  let literal = '';
  for (const value of values) {
    const needsEscape = value.includes('"') || value.includes('\\');
    literal += `${literal === '' ? '{"' : '","'}${needsEscape ? value.replace(quotedSpecial, '\\$&') : value}`;
  }
  return literal === '' ? '{}' : `${literal}"}`;
}
