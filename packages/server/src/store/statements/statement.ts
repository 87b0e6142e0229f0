// Named prepared statements with the shape of their rows, and how values are read from a connection.

import { types } from 'pg';
import Type, { type Static, type TSchema, type TUnsafe } from 'typebox';
import { Compile } from 'typebox/compile';

export interface Statement<Row> {
  /** The name of the prepared statement on each connection, unique for its text. */
  readonly name: string;
  readonly text: string;
  /** Rows are arrays of columns instead of objects. */
  readonly rowMode: 'array' | undefined;
  /** Checks a row of the driver; throws if it has another shape, which is a bug. */
  readonly read: (row: unknown) => Row;
}

/** The SQL of each statement by its name, and of each one with filters the SQL for no filter and for each alone. */
export const declaredTexts = new Map<string, () => readonly string[]>();

/** @throws if another statement has the name, which a connection would take for the same one. */
export function declareTexts(name: string, texts: () => readonly string[]): void {
  if (declaredTexts.has(name)) throw new Error(`Two statements have the name ${name}.`);
  declaredTexts.set(name, texts);
}

/** Runs statements: one by one on the pool, or inside a transaction. */
export interface Queryable {
  rows<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
}

interface StatementDefinition<Row extends TSchema> {
  readonly name: string;
  readonly text: string;
  readonly row: Row;
  readonly ofColumns?: (columns: readonly unknown[]) => Readonly<Record<keyof Static<Row>, unknown>>;
}

/**
 * Declares a statement, whose columns have the names of the properties of `row` (`purchase_id as "purchaseId"`). For
 * thousands of rows per second, `ofColumns` makes a row from its columns faster than the driver, which sets each by name.
 */
export function statement<Row extends TSchema>(definition: StatementDefinition<Row>): Statement<Static<Row>> {
  declareTexts(definition.name, () => [definition.text]);
  return checkedStatement(definition);
}

/** A statement that checks the shape of its rows. */
export function checkedStatement<Row extends TSchema>(
  definition: StatementDefinition<Row>,
): Statement<Static<Row>> {
  const { ofColumns } = definition;
  const compile = () => Compile(definition.row);
  // Compiled for the first row, since compiling all statements would delay the start.
  let shape: ReturnType<typeof compile> | undefined;
  return {
    name: definition.name,
    text: definition.text,
    rowMode: ofColumns === undefined ? undefined : 'array',
    read(received) {
      const row = ofColumns === undefined ? received : ofColumns(received as unknown[]);
      shape ??= compile();
      if (shape.Check(row)) return row;
      const [problem] = shape.Errors(row);
      throw new Error(
        `Statement ${definition.name} returned a row of another shape: ${JSON.stringify(problem)}`,
      );
    },
  };
}

/** A column that may be null. */
export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** A column of bytes, which the driver returns as a Buffer. */
export const Bytes = Type.Unsafe<Buffer>({});

/** Rows whose columns have the right types by the definition of their tables, so that they need no check. */
export const unchecked = <Row>(): TUnsafe<Row> => Type.Unsafe<Row>({});

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

// The driver returns bigint as text; all values of the store are far below 2^53.
const int8Oid = 20;

function readInt8(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error(`A bigint of the database is out of range: ${value}`);
  return number;
}

export const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === int8Oid && format !== 'binary'
    ? readInt8
    : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser;
