// SQL that converts rows to lines of JSON, and lines of JSON to rows.

import type { Column, Table } from '../tables/table.ts';

/** The first table has a row for each line; the others have one row for each row of the first. */
export type TransferTables = readonly [Table, ...Table[]];

/** SQL for the JSON of a column's value as text; null for null. */
function jsonText({ column, type }: Column, table: string): string {
  const value = `${table}.${column}`;
  if (type === 'text' || type === 'text[]') return `to_json(${value})::text`;
  if (type === 'bytea') return `'"' || encode(${value}, 'hex') || '"'`;
  return `${value}::text`;
}

/**
 * SQL for one line: compact JSON, its fields in the order of the tables and their columns. Concatenated, since
 * PostgreSQL's own functions write every null, and removing the nulls takes twice the time.
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

/** SQL for the lines of a JSON array in `parameter` as a table `r` with a column for each field. */
export function linesAsRows(parameter: string, tables: TransferTables): string {
  const columns = tables.flatMap(({ columns }) => Object.entries(columns));
  const declared = columns.map(([field, { type }]) => `"${field}" ${type === 'bytea' ? 'text' : type}`);
  return `json_to_recordset(${parameter}::json) as r (${declared.join(', ')})`;
}

/** SQL for the value of a column in a row of `linesAsRows`. */
export function valueOfField(field: string, { type }: Column): string {
  return type === 'bytea' ? `decode(r."${field}", 'hex')` : `r."${field}"`;
}

/** SQL for the tables of a kind, joined by their app. */
export function joined([first, ...others]: TransferTables): string {
  return [first.table, ...others.map(({ table }) => `join ${table} using (package_name)`)].join(' ');
}

/** SQL for the key columns of a row within its app; for an app itself, its package name. */
export function keyColumns({ table, key, columns }: Table): string[] {
  if (key.length === 0) return [`${table}.package_name`];
  return key.map((field) => `${table}.${columns[field]?.column}`);
}
