// The columns of the CSV files of an import, which are fields of JSON lines (docs/moving-a-store.md).

import { type FieldKind, fieldKindOf } from '@opentill/contract/field-kinds.ts';
import { FirstPeriodLength, Period } from '@opentill/contract/periods.ts';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import {
  booleanOfCell,
  expectedBoolean,
  expectedInstant,
  instantOfCell,
  integerOfCell,
} from '../../../domain/csv-reading.ts';
import type { Column } from '../../../store/statements/table.ts';
import { product, purchase, subscription } from '../../../store/tables/ledger.ts';
import { expectedPeriod } from '../../../store/transfer/kinds.ts';
import type { JsonObject } from '../import-source.ts';
import { expectedUnrounded, isInExponentForm } from './rounded-cells.ts';

export interface CsvKind {
  /** The kind of the JSON lines. */
  readonly kind: 'product' | 'purchase' | 'subscription';
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** In the order in which they are read: a purchase may have the price of its product, a subscription its periods. */
export const csvKinds: readonly CsvKind[] = [
  { kind: 'product', required: ['productId', 'price', 'currency'], optional: ['type', 'period', 'title'] },
  {
    kind: 'purchase',
    required: ['purchaseId', 'productId', 'purchaseTime'],
    optional: [
      ...['orderId', 'buyerId', 'developerPayload', 'price', 'currency', 'consumedTime'],
      ...['voidedTime', 'voidReason', 'firstPurchaseId', 'startTime', 'expiryTime'],
    ],
  },
  {
    kind: 'subscription',
    required: ['firstPurchaseId', 'productId', 'firstStartTime', 'expiryTime', 'autoRenewing'],
    optional: [
      ...['lastStartTime', 'timeZone', 'firstPeriod', 'buyerId', 'developerPayload'],
      ...['price', 'renewalPrice', 'currency'],
      ...['cancelledTime', 'cancelReason', 'voidedTime', 'voidReason', 'awaitsConsent'],
    ],
  },
];

/** A field has the same type in each table. */
const columns: Readonly<Record<string, Column>> = {
  ...product.columns,
  ...purchase.columns,
  ...subscription.columns,
  // A JSON line has the consent instead.
  awaitsConsent: subscription.columns.autoRenewing,
};

export interface CellReader {
  readonly field: string;
  /** undefined: not as `expected`. */
  readonly read: (cell: string) => unknown;
  readonly expected: string;
  /** Another program wrote it, perhaps as a number. */
  readonly isId?: true;
}

type ValueReader = Omit<CellReader, 'field'>;

/** The last period is counted before its line is checked. */
const lengthReader = (schema: TSchema, expected: string): ValueReader => ({
  read: (cell) => (Value.Check(schema, cell) ? cell : undefined),
  expected,
});

const readersOfKind: { readonly [Kind in FieldKind]?: ValueReader } = {
  instant: { read: instantOfCell, expected: expectedInstant },
  period: lengthReader(Period, expectedPeriod),
  firstPeriod: lengthReader(FirstPeriodLength, 'expected a length from P3D to P1Y, such as P7D'),
  id: {
    read: (cell) => (isInExponentForm(cell) ? undefined : cell),
    expected: expectedUnrounded,
    isId: true,
  },
};

const readersOfType: Readonly<Record<string, ValueReader>> = {
  boolean: { read: booleanOfCell, expected: expectedBoolean },
  text: { read: (cell) => cell, expected: '' },
};

const integerReader: ValueReader = { read: integerOfCell, expected: '' };

export function cellReader(field: string): CellReader {
  const { type = '', schema = {} } = columns[field] ?? {};
  const kind = fieldKindOf(schema);
  return { field, ...((kind && readersOfKind[kind]) ?? readersOfType[type] ?? integerReader) };
}

/** Decoding puts this in place of bytes that are not UTF-8. */
export const replacementCharacter = '\ufffd';

export const expectedUtf8 = 'expected UTF-8, which a spreadsheet calls "CSV UTF-8"';

/** The values of a row, or its problem. Empty cells have no value. */
export function valuesOf(
  cells: readonly string[],
  readers: readonly CellReader[],
  required: readonly string[],
): JsonObject | string {
  const expected = readers.length;
  if (cells.length !== expected && !isLongerByEmptyCells(cells, expected)) {
    return `expected ${expected} cells, as in the first line, got ${cells.length}`;
  }
  const values: Record<string, unknown> = {};
  for (let index = 0; index < expected; index += 1) {
    const cell = cells[index] ?? '';
    const reader = readers[index];
    if (cell === '' || reader === undefined) continue;
    const value = reader.read(cell);
    if (value === undefined) return `${reader.field}: ${reader.expected}`;
    if (cell.includes(replacementCharacter)) return `${reader.field}: ${expectedUtf8}`;
    values[reader.field] = value;
  }
  if (required.every((field) => values[field] !== undefined)) return values;
  return `missing: ${required.filter((field) => values[field] === undefined).join(', ')}`;
}

/** A spreadsheet writes columns that had values before. */
function isLongerByEmptyCells(cells: readonly string[], expected: number): boolean {
  return cells.length > expected && cells.slice(expected).every((cell) => cell === '');
}
