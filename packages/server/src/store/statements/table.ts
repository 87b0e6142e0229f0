// The parts of a table definition, the shapes of fields that no API has, and the row type, row shape and SQL lists that
// are derived from a definition.

import { eventOrderDigitsMax } from '@opentill/contract/events.ts';
import { text } from '@opentill/contract/fields.ts';
import { hexadecimalHash } from '@opentill/contract/patterns.ts';
import Type, {
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TString,
  type TUnsafe,
} from 'typebox';
import { Bytes, nullable } from './statement.ts';

/** The longest name that a server assigns is an idempotency key. */
const nameLengthMax = 500;
const integerMax = 2_147_483_647;

export const name = text(0, nameLengthMax, 'A name that a server assigned.');

/** A position in an order, or an instant; 0 for none yet. */
export const order = Type.Integer({ minimum: 0, maximum: 10 ** eventOrderDigitsMax - 1 });

export const smallNumber = Type.Integer({ minimum: 0, maximum: integerMax });

export const hash = hexadecimalHash();

type ColumnType =
  | 'text'
  | 'bigint'
  | 'integer'
  | 'boolean'
  | 'double precision'
  | 'date'
  | 'json'
  | 'text[]'
  | 'bytea';

export interface Column<
  OfType extends ColumnType = ColumnType,
  Schema extends TSchema = TSchema,
  IsRequired extends boolean = boolean,
> {
  readonly column: string;
  readonly type: OfType;
  /** The values of an export, in which bytes are hexadecimal. */
  readonly schema: Schema;
  /** False if the column may be null; an export omits the field then. */
  readonly isRequired: IsRequired;
  /** An import derives the value of a line without the field. */
  readonly isDerived?: true;
}

export interface Table {
  readonly table: string;
  /** The fields that, after the package name, form the primary key. */
  readonly key: readonly string[];
  /** By field, without the package name and leases. */
  readonly columns: Readonly<Record<string, Column>>;
  /** A column that is true for imported rows. */
  readonly importMark?: string;
}

/** The column of a field: soldAmount is in sold_amount. */
export const columnOf = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A column that is never null. */
export const filled = <const OfType extends ColumnType, Schema extends TSchema>(
  column: string,
  type: OfType,
  schema: Schema,
): Column<OfType, Schema, true> => ({ column, type, schema, isRequired: true });

/** A column that may be null. */
export const optional = <const OfType extends ColumnType, Schema extends TSchema>(
  column: string,
  type: OfType,
  schema: Schema,
): Column<OfType, Schema, false> => ({ column, type, schema, isRequired: false });

type Value<Of> =
  Of extends Column<infer OfType, infer Schema, infer IsRequired>
    ? (OfType extends 'bytea' ? Buffer : Static<Schema>) | (IsRequired extends true ? never : null)
    : never;

type Shape<Columns> = TObject<
  { packageName: TString } & { -readonly [Field in keyof Columns]: TUnsafe<Value<Columns[Field]>> }
>;

/** A part of a table, in the order of its columns: what a statement writes, to which a new column is added by name. */
export function pick<Of extends Table, Field extends keyof Of['columns'] & string>(
  table: Of,
  ...fields: readonly Field[]
): Omit<Of, 'columns'> & { readonly columns: Pick<Of['columns'], Field> } {
  const picked = Object.entries(table.columns).filter(([field]) =>
    (fields as readonly string[]).includes(field),
  );
  return { ...table, columns: Object.fromEntries(picked) as Pick<Of['columns'], Field> };
}

/** The other columns of a table: what a statement reads, which includes a new column. */
export function withoutColumns<Of extends Table, Field extends keyof Of['columns'] & string>(
  table: Of,
  ...fields: readonly Field[]
): Omit<Of, 'columns'> & { readonly columns: Omit<Of['columns'], Field> } {
  const kept = Object.entries(table.columns).filter(
    ([field]) => !(fields as readonly string[]).includes(field),
  );
  return { ...table, columns: Object.fromEntries(kept) as Omit<Of['columns'], Field> };
}

/** Checks the types of values, but not what a write has checked already: lengths, patterns and ranges. */
function valueShape({ type, schema }: Column): TSchema {
  if (type === 'bytea') return Bytes;
  if (type === 'bigint' || type === 'integer') return Type.Integer();
  if (type === 'double precision') return Type.Number();
  return 'pattern' in schema || 'maxLength' in schema ? Type.String() : schema;
}

export type RowOf<Of extends { readonly columns: object }> = Static<Shape<Of['columns']>>;

/** A row without the package name. */
export type ValuesOf<Of extends { readonly columns: object }> = Omit<RowOf<Of>, 'packageName'>;

/** The shape of the rows that `selectList` selects. */
export function rowShape<Of extends { readonly columns: object }>(table: Of): Shape<Of['columns']> {
  const shapes: TProperties = { packageName: Type.String() };
  for (const [field, column] of columnsOf(table)) {
    shapes[field] = column.isRequired ? valueShape(column) : nullable(valueShape(column));
  }
  return Type.Object(shapes) as unknown as Shape<Of['columns']>;
}

/** In the order of the definition. */
const columnsOf = ({ columns }: { readonly columns: object }) =>
  Object.entries(columns) as [string, Column][];

/** SQL for all columns but the package name, under the names of their fields. */
export function valueList(table: { readonly columns: object }, alias: string): string {
  return columnsOf(table)
    .map(([field, { column }]) => `${alias}.${column} as "${field}"`)
    .join(', ');
}

/** SQL for all columns under the names of their fields. */
export function selectList(table: { readonly columns: object }, alias: string): string {
  return `${alias}.package_name as "packageName", ${valueList(table, alias)}`;
}

/** The row of values that have the names of their columns, as PostgreSQL converts a row to JSON. */
export function rowOfColumns<Of extends { readonly columns: object }>(
  table: Of,
  values: Readonly<Record<string, unknown>>,
): RowOf<Of> {
  const row: Record<string, unknown> = { packageName: values['package_name'] };
  for (const [field, { column }] of columnsOf(table)) row[field] = values[column];
  return row as RowOf<Of>;
}

/** SQL for the names of all columns but the package name. */
export function columnNames(table: { readonly columns: object }): string {
  return columnsOf(table)
    .map(([, { column }]) => column)
    .join(', ');
}

/** SQL that sets the columns of a table, but not those of its key, to those of the row `from`. */
export function setList(table: Pick<Table, 'key' | 'columns'>, from: string): string {
  return columnsOf(table)
    .filter(([field]) => !table.key.includes(field))
    .map(([, { column }]) => `${column} = ${from}.${column}`)
    .join(', ');
}

/** SQL that inserts the row of `insertValues`. */
export function insertText(table: { readonly table: string; readonly columns: object }): string {
  const parameters = columnsOf(table).map((_, index) => `$${index + 2}`);
  return `insert into ${table.table} (package_name, ${columnNames(table)}) values ($1, ${parameters.join(', ')})`;
}

/** JSON is passed as text, since the driver would convert an array to a PostgreSQL array. */
function parameterOf(row: object, [field, { type }]: [string, Column]): unknown {
  const value = (row as Readonly<Record<string, unknown>>)[field] ?? null;
  return type === 'json' && value !== null ? JSON.stringify(value) : value;
}

export function insertValues(
  table: { readonly columns: object },
  row: { readonly packageName: string } & object,
): unknown[] {
  return [row.packageName, ...columnsOf(table).map((column) => parameterOf(row, column))];
}

/** SQL for the parameters of `columnArrays`, the first of which is $`first`. */
export function arrayParameters(table: { readonly columns: object }, first: number): string {
  return columnsOf(table)
    .map(([, { type }], index) => `$${first + index}::${type}[]`)
    .join(', ');
}

/** An array of each column, for `unnest`. */
export function columnArrays(table: { readonly columns: object }, rows: readonly object[]): unknown[][] {
  return columnsOf(table).map((column) => rows.map((row) => parameterOf(row, column)));
}
