// Records as CSV files in memory, in whatever way a database or a spreadsheet writes them.

import { Buffer } from 'node:buffer';
import type { ClientConfig } from 'pg';
import { reported } from '../../../../test/support/transfer/transfer.ts';
import { csvSource, type MovedApp } from '../../src/operations/transfer/csv-reading/csv-source.ts';
import type { SourceFile } from '../../src/operations/transfer/csv-reading/csv-tables.ts';
import type { ImportReport } from '../../src/operations/transfer/import-store.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import { StartProblem } from '../../src/runtime/start-problem.ts';

/** When the files of these tests are imported, in ms. */
export const importTime = 1_790_000_000_000;

export type CsvRecord = Readonly<Record<string, unknown>>;

export interface CsvStyle {
  readonly delimiter: ',' | ';' | '\t';
  readonly lineEnd: '\n' | '\r\n' | '\r';
  readonly isMarked: boolean;
  readonly quotesAll: boolean;
  /** Follow the records, as where a spreadsheet had rows. */
  readonly emptyRows: number;
  /** How instants are written. */
  readonly instant: (ms: number) => string;
}

const plain: CsvStyle = {
  delimiter: ',',
  lineEnd: '\n',
  isMarked: false,
  quotesAll: false,
  emptyRows: 0,
  instant: String,
};

/** The fields of all records are the columns; a record without a field has an empty cell. */
export function csvText(records: readonly CsvRecord[], style: Partial<CsvStyle> = {}): string {
  const { delimiter, lineEnd, isMarked, quotesAll, emptyRows, instant } = { ...plain, ...style };
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const cell = (value: unknown, name: string) => {
    const isInstant = typeof value === 'number' && /Time$|Start$/.test(name);
    const text = isInstant ? instant(value) : String(value);
    const needsQuotes = quotesAll || /["\r\n,;\t]/.test(text);
    return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const rows = [
    columns.map((name) => cell(name, '')),
    ...records.map((record) => columns.map((name) => cell(record[name] ?? '', name))),
    ...Array.from({ length: emptyRows }, () => columns.map(() => '')),
  ];
  return `${isMarked ? '\ufeff' : ''}${rows.map((row) => row.join(delimiter) + lineEnd).join('')}`;
}

/** So that pieces cut lines and characters anywhere. */
const pieceBytes = 509;

function csvFile(name: string, content: string | Buffer): SourceFile {
  const bytes = Buffer.from(content);
  return {
    name,
    async *read() {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    },
  };
}

let apps = 0;

/** The report of an import of CSV files by name. */
export async function importedCsv(
  connection: ClientConfig,
  files: Readonly<Record<string, string | Buffer>>,
  { isCheck = false, ...app }: MovedApp & { readonly isCheck?: boolean },
): Promise<ImportReport> {
  apps += 1;
  const appNumber = 500_000 + apps;
  const source = await csvSource(
    Object.entries(files).map(([name, content]) => csvFile(name, content)),
    {
      app,
      environment: 'sandbox',
      timeZone: 'Asia/Seoul',
      now: importTime,
      randomness: {
        ...secureRandomness,
        bytes: (count) => Buffer.alloc(count, appNumber),
        uint32: () => appNumber,
      },
    },
  );
  return await reported(connection, '', { source, isCheck });
}

/** The message of an import of CSV files that is rejected. */
export async function csvRefusal(...args: Parameters<typeof importedCsv>): Promise<string> {
  const result = await importedCsv(...args).catch((error: unknown) => error);
  if (result instanceof StartProblem) return result.message;
  throw new Error('The import was not rejected.', { cause: result });
}
