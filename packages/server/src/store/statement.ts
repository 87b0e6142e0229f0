// A named prepared statement with the shape of its rows: what every other file of the store is made of.

import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

export interface Statement<Row> {
  /** Names the prepared statement on each connection: one text for one name. */
  readonly name: string;
  readonly text: string;
  /** Checks one row as it is read; a row of another shape is a fault of ours and throws. */
  readonly read: (row: unknown) => Row;
}

/** Declares a statement; its columns are named as the properties of `row` (`purchase_id as "purchaseId"`). */
export function statement<Row extends TObject>(definition: {
  name: string;
  text: string;
  row: Row;
}): Statement<Static<Row>> {
  const compile = () => Compile(definition.row);
  // Compiled with the first row: to compile all of them would hold up every start.
  let shape: ReturnType<typeof compile> | undefined;
  return {
    name: definition.name,
    text: definition.text,
    read(row) {
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
