// SQL that converts rows to lines of JSON, and the rows that COPY reads from the values of lines.

import { memoize } from '../../runtime/memoize.ts';
import { textArray } from '../statements/statement.ts';
import type { Column, Table } from '../statements/table.ts';

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

/** Characters that the text format of COPY escapes. */
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escaped = (text: string) => text.replaceAll(/[\\\n\r\t]/g, (character) => escapes[character] as string);

function copyValue(value: unknown, type: Column['type']): string {
  if (value === undefined) return '\\N';
  if (type === 'bytea') return `\\\\x${value as string}`;
  if (type === 'text[]') return escaped(textArray(value as string[]));
  if (type === 'json') return escaped(JSON.stringify(value));
  return type === 'text' ? escaped(value as string) : String(value);
}

interface TableCopy {
  readonly statement: string;
  /** A row of the table in the text format of COPY. */
  readonly rowOf: (packageName: string, values: Readonly<Record<string, unknown>>) => string;
}

/** Imported rows are marked if the table has a column for it. */
export const copyOf = memoize(({ table, columns, importMark }: Table): TableCopy => {
  const fields = Object.entries(columns);
  const mark = importMark === undefined ? [] : [importMark];
  const names = ['package_name', ...fields.map(([, { column }]) => column), ...mark];
  const end = importMark === undefined ? '\n' : '\ttrue\n';
  return {
    statement: `copy ${table} (${names.join(', ')}) from stdin`,
    rowOf(packageName, values) {
      let row = escaped(packageName);
      for (const [field, { type }] of fields) row += `\t${copyValue(values[field], type)}`;
      return row + end;
    },
  };
});

/** SQL for the tables of a kind, joined by their app. */
export function joined([first, ...others]: TransferTables): string {
  return [first.table, ...others.map(({ table }) => `join ${table} using (package_name)`)].join(' ');
}

/** SQL for the key columns of a row within its app; for an app itself, its package name. */
export function keyColumns({ table, key, columns }: Table): string[] {
  if (key.length === 0) return [`${table}.package_name`];
  return key.map((field) => `${table}.${columns[field]?.column}`);
}
