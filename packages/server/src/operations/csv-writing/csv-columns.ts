// The columns of a CSV file, which follow from the schema of its entries: their fields in the order of the contract.

import { timestampMin } from '@opentill/contract/fields.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { type JsonSchema, jsonSchema } from '@opentill/contract/parameters.ts';
import { Day } from '@opentill/contract/statistics.ts';
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

/** The columns of what an operation `asCsv` lists: of its lists, that of a named schema. */
export function csvColumnsOf({ responses }: Pick<OperatorOperation, 'responses'>): readonly CsvColumn[] {
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
    if (type === 'array') {
      const lengthOf = (list: unknown) => String((list as readonly unknown[]).length);
      return [{ name: `${name}.count`, cell: (entry) => writtenBy(lengthOf, entry[name]) }];
    }
    if (type === 'object' && $id === undefined) {
      return columnsOf(properties).map((inner) => ({
        name: `${name}.${inner.name}`,
        cell: (entry, format) =>
          entry[name] === undefined ? '' : inner.cell(entry[name] as CsvEntry, format),
      }));
    }
    const isRecord = type === 'object' || anyOf.some((part) => part.type === 'object');
    return isRecord ? [] : [valueColumn(name, schema)];
  });
}

/** Amounts are in the currency of their entry. */
const amountName = /^price$|Price$|Amount$/;

function valueColumn(name: string, { type, minimum, pattern }: JsonSchema): CsvColumn {
  if (amountName.test(name)) {
    const cell = ({ currency, [name]: amount }: CsvEntry, { digitsOf }: CsvFormat) =>
      writtenBy((price) => csvAmount(Number(price), digitsOf(String(currency))), amount);
    return { name, cell };
  }
  if (type === 'integer' && minimum === timestampMin) {
    return { name, cell: (entry, { instant }) => writtenBy((ms) => instant(Number(ms)), entry[name]) };
  }
  const isText = pattern !== jsonSchema(Day).pattern;
  return { name, cell: (entry) => writtenBy((value) => textOf(value, isText), entry[name]) };
}

function textOf(value: unknown, isText: boolean): string {
  return typeof value === 'string' && isText ? csvText(value) : String(value);
}

function writtenBy(write: (value: unknown) => string, value: unknown): string {
  return value === undefined ? '' : write(value);
}
