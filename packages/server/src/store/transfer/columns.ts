// What an export writes of a column and an import reads into it: types, and the SQL that turns a row into a line
// of JSON and lines of JSON into rows. Which tables there are is not known here.

import type { TSchema } from 'typebox';

type ColumnType =
  | 'text'
  | 'bigint'
  | 'integer'
  | 'boolean'
  | 'double precision'
  | 'json'
  | 'text[]'
  | 'bytea';

export interface TransferColumn {
  readonly column: string;
  readonly type: ColumnType;
  readonly schema: TSchema;
  /** A field that may be missing from a line is null in its row, and a null is left out of a line. */
  readonly isRequired: boolean;
  /** SQL for the value of lines by earlier versions, which lack the field. */
  readonly valueIfMissing?: string;
}

export interface TransferTable {
  readonly table: string;
  /** The fields that name a row within its app: with the package name they are the primary key. */
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, TransferColumn>>;
  /** Fields of earlier versions, which an import ignores. */
  readonly retiredFields?: readonly string[];
}

/** The first names a row; each of the others has one row for each of its rows. */
export type TransferTables = readonly [TransferTable, ...TransferTable[]];

/** A column that every row has. */
export const filled = (column: string, type: ColumnType, schema: TSchema): TransferColumn => ({
  column,
  type,
  schema,
  isRequired: true,
});

/** A column that may be null. */
export const optional = (column: string, type: ColumnType, schema: TSchema): TransferColumn => ({
  ...filled(column, type, schema),
  isRequired: false,
});

/** A column that every row has, but not every line of an earlier version. */
export const added = (
  column: string,
  type: ColumnType,
  schema: TSchema,
  valueIfMissing: string,
): TransferColumn => ({ ...filled(column, type, schema), valueIfMissing });

/** SQL for the JSON of a column's value, as text; of null it is null. */
function jsonText({ column, type }: TransferColumn, table: string): string {
  const value = `${table}.${column}`;
  if (type === 'text' || type === 'text[]') return `to_json(${value})::text`;
  if (type === 'bytea') return `'"' || encode(${value}, 'hex') || '"'`;
  return `${value}::text`;
}

/**
 * SQL for one line: compact JSON, its fields in the order of the tables and their columns. Joined by hand, since
 * PostgreSQL's own functions write every null, and taking those out again takes twice the time.
 */
export function lineText(kind: string, tables: TransferTables): string {
  const head = `'{"kind":"${kind}","packageName":' || to_json(${tables[0].table}.package_name)::text`;
  const fields = tables.flatMap(({ table, columns }) =>
    Object.entries(columns).map(([field, column]) => {
      const json = `',"${field}":' || ${jsonText(column, table)}`;
      return column.isRequired ? json : `coalesce(${json}, '')`;
    }),
  );
  return `${[head, ...fields].join(' || ')} || '}'`;
}

/** SQL for the table `r` of the lines that a JSON array in `parameter` holds, a column for each field. */
export function linesAsRows(parameter: string, tables: TransferTables): string {
  const columns = tables.flatMap(({ columns }) => Object.entries(columns));
  const declared = columns.map(([field, { type }]) => `"${field}" ${type === 'bytea' ? 'text' : type}`);
  return `json_to_recordset(${parameter}::json) as r (${declared.join(', ')})`;
}

/** SQL for the value of a column in a row of `linesAsRows`. */
export function valueOfField(field: string, { type, valueIfMissing }: TransferColumn): string {
  const value = type === 'bytea' ? `decode(r."${field}", 'hex')` : `r."${field}"`;
  return valueIfMissing === undefined ? value : `coalesce(${value}, ${valueIfMissing})`;
}

/** Whether a line may lack the field. */
export function isOptionalInLine({ isRequired, valueIfMissing }: TransferColumn): boolean {
  return !isRequired || valueIfMissing !== undefined;
}

/** SQL for the tables of a kind, joined by their app. */
export function joined([first, ...others]: TransferTables): string {
  return [first.table, ...others.map(({ table }) => `join ${table} using (package_name)`)].join(' ');
}

/** SQL for the columns that name a row within its app; of an app itself, its package name. */
export function keyColumns({ table, key, columns }: TransferTable): string[] {
  if (key.length === 0) return [`${table}.package_name`];
  return key.map((field) => `${table}.${columns[field]?.column}`);
}
