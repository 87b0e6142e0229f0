// The columns of the CSV files of an import, which are fields of JSON lines (docs/moving-a-store.md).

import * as fields from '@opentill/contract/fields.ts';
import {
  booleanOfCell,
  expectedBoolean,
  expectedInstant,
  instantOfCell,
  integerOfCell,
} from '../../domain/csv-cells.ts';
import { product, purchase, subscription } from '../../store/tables/ledger.ts';
import type { Column } from '../../store/tables/table.ts';
import type { JsonObject } from './import-source.ts';

export interface CsvKind {
  /** Of the JSON lines. */
  readonly kind: 'product' | 'purchase' | 'subscription';
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** In the order in which they are read: a purchase may have the price of its product, a subscription its months. */
export const csvKinds: readonly CsvKind[] = [
  { kind: 'product', required: ['productId', 'price', 'currency'], optional: ['type', 'title'] },
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
    required: ['firstPurchaseId', 'productId', 'firstStart', 'expiryTime', 'autoRenewing'],
    optional: [
      ...['lastStartTime', 'timeZone', 'buyerId', 'developerPayload', 'price', 'currency'],
      ...['cancelledTime', 'cancelReason', 'voidedTime', 'voidReason'],
    ],
  },
];

/** A field has the same type in each table. */
const columns: Readonly<Record<string, Column>> = {
  ...product.columns,
  ...purchase.columns,
  ...subscription.columns,
};

export interface CellReader {
  readonly field: string;
  /** undefined: not as `expected`. */
  readonly read: (cell: string) => unknown;
  readonly expected: string;
}

export function cellReader(field: string): CellReader {
  const { type, schema } = columns[field] ?? {};
  if (schema === fields.Timestamp) return { field, read: instantOfCell, expected: expectedInstant };
  if (type === 'boolean') return { field, read: booleanOfCell, expected: expectedBoolean };
  return { field, read: type === 'text' ? (cell) => cell : integerOfCell, expected: '' };
}

/** Decoding puts this in place of bytes that are not UTF-8. */
export const replacementCharacter = '\ufffd';

export const expectedUtf8 = 'expected UTF-8, which a spreadsheet calls "CSV UTF-8"';

/** The values of a row; empty cells have none. */
export function valuesOf(
  cells: readonly string[],
  readers: readonly CellReader[],
  required: readonly string[],
): { readonly values: JsonObject } | { readonly problem: string } {
  const expected = readers.length;
  if (cells.length < expected || cells.slice(expected).some((cell) => cell !== '')) {
    return { problem: `expected ${expected} cells, as in the first line, got ${cells.length}` };
  }
  const values: Record<string, unknown> = {};
  for (const [index, reader] of readers.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    const value = reader.read(cell);
    if (value === undefined) return { problem: `${reader.field}: ${reader.expected}` };
    if (cell.includes(replacementCharacter)) return { problem: `${reader.field}: ${expectedUtf8}` };
    values[reader.field] = value;
  }
  const missing = required.filter((field) => values[field] === undefined);
  return missing.length > 0 ? { problem: `missing: ${missing.join(', ')}` } : { values };
}
