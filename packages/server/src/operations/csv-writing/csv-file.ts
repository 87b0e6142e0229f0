// The file of an operation `asCsv`: its text, and the action that records its author (docs/decisions/console.md,
// "Files").

import type { ActionDetail } from '@opentill/contract/actions.ts';
import { digitsOf } from '@opentill/contract/currency-digits.ts';
import type { PriceUnit } from '@opentill/contract/fields.ts';
import { byteOrderMark, csvInstants, csvRow } from '../../domain/csv-writing.ts';
import { wholeStore } from '../../domain/identifiers.ts';
import { buyerParameters, mask } from '../../domain/sandbox/call-explanation.ts';
import { isTimeZone } from '../../domain/subscriptions/calendar-period.ts';
import type { Store } from '../../store/store.ts';
import type { EntryPages, FileNote, OperatorCall, OperatorHandler } from '../operator-handler.ts';
import { Refusal } from '../refusal.ts';
import {
  type CsvColumn,
  type CsvEntry,
  type CsvFormat,
  type CsvOperation,
  csvColumnsOf,
} from './csv-columns.ts';

/** A file of what the operation lists, with instants in a time zone; if that is not known, in the zone of the store. */
export type OpenCsv = (
  listing: CsvListing,
  call: OperatorCall,
  timeZone: string | undefined,
) => Promise<CsvFile | Refusal>;

/** The text of a file in parts, each of which is read when it is asked for. */
export type CsvFile = AsyncGenerator<string, void, undefined>;

/** The part of an operation `asCsv` that a file needs. */
export type CsvListing = Required<Pick<OperatorHandler, 'readEntries'>> & {
  readonly operation: CsvOperation;
};

interface CsvSettings {
  readonly timeZone: string;
  readonly priceUnit: PriceUnit;
}

/** A file is recorded after its first entries have been read, and before any of them leaves the store. */
export function csvFiles({ database }: Store, { timeZone, priceUnit }: CsvSettings): OpenCsv {
  return async ({ operation, readEntries }, call, wantedZone) => {
    const pages = readEntries(call);
    const first = await pages.next();
    if (first.value instanceof Refusal) return first.value;
    await database.transaction({ packageName: wholeStore }, (transaction) =>
      call.recordAction(transaction, wholeStore, detailOf(call)),
    );
    const zone = wantedZone !== undefined && isTimeZone(wantedZone) ? wantedZone : timeZone;
    const form = {
      columns: csvColumnsOf(operation),
      format: { instant: csvInstants(zone), digitsOf: (currency: string) => digitsOf(currency, priceUnit) },
    };
    return textOf(first.value ?? [], pages, form);
  };
}

interface CsvForm {
  readonly columns: readonly CsvColumn[];
  readonly format: CsvFormat;
}

/** Rows of one part: other calls are handled between two. */
const rowsPerPart = 100;

async function* textOf(
  first: readonly object[] | FileNote,
  others: EntryPages,
  { columns, format }: CsvForm,
): CsvFile {
  const isNoted = 'note' in first;
  const note = isNoted ? csvRow([first.note]) : '';
  yield byteOrderMark + note + csvRow(columns.map(({ name }) => name));
  let entries = isNoted ? [] : first;
  for (;;) {
    for (let start = 0; start < entries.length; start += rowsPerPart) {
      const part = entries.slice(start, start + rowsPerPart) as readonly CsvEntry[];
      yield part.map((entry) => csvRow(columns.map(({ cell }) => cell(entry, format)))).join('');
    }
    // A client that has left ends the file here, even if no entry matches.
    yield '';
    const { value } = await others.next();
    if (value === undefined) return;
    if (value instanceof Refusal) throw new Error(`A list ended with ${value.error}.`);
    if ('note' in value) throw new Error('A list has a note after its entries.');
    entries = value;
  }
}

/** The filters of the file. The id of a buyer is not part of an action, so that an erasure changes none. */
function detailOf({ path, query }: OperatorCall): ActionDetail {
  const { pageSize: _size, pageToken: _token, waitSeconds: _wait, ...filters } = { ...path, ...query };
  const shown = Object.entries(filters).map(([name, value]): [string, string] => [
    name,
    buyerParameters.includes(name) ? mask : String(value),
  ]);
  const text = new URLSearchParams(shown).toString();
  return { file: 'csv', ...(text !== '' && { filters: text }) };
}
