// The columns of a CSV file, which follow from the schema of its entries: their fields in the order of the contract.

import { type FieldKind, fieldKindOf } from '@opentill/contract/field-kinds.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { type JsonSchema, jsonSchema } from '@opentill/contract/parameters.ts';
import type { TSchema } from 'typebox';
import { csvAmount, csvText } from '../../domain/csv-writing.ts';

export type CsvEntry = Readonly<Record<string, unknown>>;

/** How values are written that depend on the store or the reader. */
export interface CsvFormat {
  readonly instant: (ms: number) => string;
  /** The digits of amounts in a currency after the decimal point. */
  readonly digitsOf: (currency: string) => number;
}

export interface CsvColumn {
  readonly name: string;
  readonly cell: (entry: CsvEntry, format: CsvFormat) => string;
}

export type CsvOperation = Pick<OperatorOperation, 'responses' | 'csvEntries'>;

/** The columns of what an operation `asCsv` lists: of its lists, that of a named schema. */
export function csvColumnsOf({ responses, csvEntries }: CsvOperation): readonly CsvColumn[] {
  if (csvEntries !== undefined) return columnsOf(jsonSchema(csvEntries).properties ?? {});
  const { properties = {} } = jsonSchema(responses[200] as TSchema);
  const items = Object.values(properties).map((schema) => schema.items ?? {});
  const entry = items.find(({ $id }) => $id !== undefined) ?? {};
  const kinds = entry.anyOf ?? [entry];
  return columnsOf(Object.assign({}, ...kinds.map((kind) => kind.properties)));
}

/**
 * A list has its length, and an object its fields. An object that has a name is a record of its own, which a file does not
 * contain; so is one of several.
 */
function columnsOf(fields: Readonly<Record<string, JsonSchema>>): readonly CsvColumn[] {
  return Object.entries(fields).flatMap(([name, schema]): readonly CsvColumn[] => {
    const { type, $id, anyOf = [], properties = {} } = schema;
    if (type === 'array') return [column(name, lengthOf, `${name}.count`)];
    if (type === 'object' && $id === undefined) {
      return columnsOf(properties).map((inner) => {
        const write: Write = (value, _entry, format) => inner.cell(value as CsvEntry, format);
        return column(name, write, `${name}.${inner.name}`);
      });
    }
    const isRecord = type === 'object' || anyOf.some((part) => part.type === 'object');
    return isRecord ? [] : [column(name, writerOf(schema))];
  });
}

type Write = (value: unknown, entry: CsvEntry, format: CsvFormat) => string;

/** A value that does not apply is absent. */
function column(field: string, write: Write, name = field): CsvColumn {
  const cell: CsvColumn['cell'] = (entry, format) =>
    entry[field] === undefined ? '' : write(entry[field], entry, format);
  return { name, cell };
}

const lengthOf: Write = (list) => String((list as readonly unknown[]).length);

const writers: { readonly [Kind in FieldKind]?: Write } = {
  amount: (price, { currency }, { digitsOf }) => csvAmount(Number(price), digitsOf(String(currency))),
  instant: (ms, _entry, { instant }) => instant(Number(ms)),
  day: String,
};

const writeOther: Write = (value) => (typeof value === 'string' ? csvText(value) : String(value));

function writerOf(schema: JsonSchema): Write {
  const kind = fieldKindOf(schema);
  return (kind && writers[kind]) ?? writeOther;
}
