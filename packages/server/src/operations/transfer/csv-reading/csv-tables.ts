// Reads CSV files as a database or a spreadsheet writes them: which records each contains, and its rows.

import { CsvError, type Parser, parse } from 'csv-parse';
import { StartProblem } from '../../../runtime/start-problem.ts';
import { type JsonObject, lineBytesMax } from '../import-source.ts';
import {
  type CellReader,
  type CsvKind,
  cellReader,
  csvKinds,
  expectedUtf8,
  replacementCharacter,
  valuesOf,
} from './csv-kinds.ts';
import { RoundedCells } from './rounded-cells.ts';

export interface SourceFile {
  readonly name: string;
  /** Can be called again. */
  readonly read: () => AsyncIterable<Buffer>;
}

export interface CsvTable extends CsvKind {
  readonly file: SourceFile;
  readonly delimiter: string;
  readonly readers: readonly CellReader[];
}

/** Its line in the file, from 1. */
export type CsvRow = { readonly line: number } & (
  | { readonly values: JsonObject }
  | { readonly problem: string }
);

/**
 * Finds out from the names of its columns what each file contains.
 * @throws StartProblem with the problems of all first lines.
 */
export async function openTables(files: readonly SourceFile[]): Promise<readonly CsvTable[]> {
  const opened = await Promise.all(files.map(openTable));
  const problems = opened.filter((one) => typeof one === 'string');
  if (problems.length > 0) throw new StartProblem(`Nothing was imported. ${problems.join('\n')}`);
  return opened.filter((one) => typeof one !== 'string');
}

const periodOfProduct =
  'period, which is that of the product; give subscriptions of another length a product of their own';

async function openTable(file: SourceFile): Promise<CsvTable | string> {
  const place = `${file.name}, line 1`;
  const delimiter = await delimiterOf(file);
  const { cells = [], brokenAt } = await firstRecord(file, delimiter);
  if (brokenAt !== undefined) return `${place}: ${expectedQuotes}`;
  const names = cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
  if (names.join('').includes(replacementCharacter)) return `${place}: ${expectedUtf8}`;
  const wrong = (kind: CsvKind) => [
    ...listed(
      'missing',
      kind.required.filter((field) => !names.includes(field)),
    ),
    ...listed(
      'unknown',
      names
        .filter((name) => ![...kind.required, ...kind.optional].includes(name))
        .map((name) => (kind.kind === 'subscription' && name === 'period' ? periodOfProduct : name)),
    ),
    ...listed(
      'more than once',
      names.filter((name, index) => names.indexOf(name) < index),
    ),
  ];
  const [closest] = csvKinds
    .map((kind) => ({ kind, problems: wrong(kind) }))
    .toSorted((a, b) => a.problems.length - b.problems.length);
  if (closest === undefined) throw new Error('There are no kinds of files.');
  const { kind, problems } = closest;
  if (problems.length === 0) return { ...kind, file, delimiter, readers: names.map(cellReader) };
  const known = `the columns of a ${kind.kind} are ${kind.required.join(', ')}, and optionally ${kind.optional.join(', ')}`;
  return `${place}: ${problems.join('; ')}: ${known}`;
}

async function firstRecord(file: SourceFile, delimiter: string): Promise<CsvRecord> {
  for await (const [first] of recordsOf(file, delimiter)) {
    if (first !== undefined) return first;
  }
  return { line: 1 };
}

const listed = (title: string, names: readonly string[]): string[] =>
  names.map((name) => `${title}: ${name === '' ? 'a column without a name' : name}`);

const delimiters = [',', ';', '\t'];

/** Spreadsheets separate cells as the language of their user does. No name of a column contains a delimiter. */
async function delimiterOf(file: SourceFile): Promise<string> {
  let first = '';
  for await (const piece of file.read()) {
    [first = ''] = piece.toString().split(/[\r\n]/, 1);
    break;
  }
  const [most = ','] = delimiters.toSorted((a, b) => first.split(b).length - first.split(a).length);
  return most;
}

interface CsvRecord {
  readonly line: number;
  readonly cells?: readonly string[];
  /** The index of a cell with invalid quotes: the last record, because the start of the next one is not known. */
  readonly brokenAt?: number;
}

const lineEnd = /\r\n|\n|\r/g;

/** The records that each piece of the file completes. */
async function* recordsOf(file: SourceFile, delimiter: string): AsyncGenerator<CsvRecord[]> {
  let line = 1;
  let records: CsvRecord[] = [];
  const parser: Parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: lineBytesMax,
    // The stream would drop records that were not read before an error, and read each in a turn of its own.
    on_record(cells: string[]) {
      records.push({ line, cells });
      line += 1;
      for (const cell of cells) {
        if (cell.includes('\n') || cell.includes('\r')) line += cell.match(lineEnd)?.length ?? 0;
      }
      return null;
    },
  });
  const parsed = async (piece: Buffer | undefined) => {
    records = [];
    const error = await new Promise<Error | null | undefined>((resolve) => {
      if (piece === undefined) parser.end(resolve);
      else parser.write(piece, resolve);
    });
    if (error instanceof CsvError) records.push({ line, brokenAt: Number((error as Located).column) });
    else if (error) throw error;
    return records;
  };
  // The callbacks have it.
  parser.on('error', () => undefined);
  for await (const piece of file.read()) {
    const found = await parsed(piece);
    yield found;
    if (found.at(-1)?.brokenAt !== undefined) return;
  }
  yield await parsed(undefined);
}

interface Located extends CsvError {
  readonly column?: unknown;
}

/** Without its second quote, a value takes in the lines after it. */
const expectedQuotes = `expected a value without quotes, or one in quotes with each quote in it doubled; a row has at most ${lineBytesMax} bytes`;

/** The rows that each piece of the file completes, without its first line and empty ones. */
export async function* rowsOf(table: CsvTable): AsyncGenerator<CsvRow[]> {
  const { file, delimiter, readers } = table;
  const ids = readers.flatMap(({ field, isId }, index) =>
    isId === undefined ? [] : [{ field, index, rounded: new RoundedCells() }],
  );
  for await (const records of recordsOf(file, delimiter)) {
    for (const { line, cells } of records) {
      if (line > 1) for (const { index, rounded } of ids) rounded.add(cells?.[index] ?? '');
    }
    yield records.flatMap((record) => rowOf(record, table) ?? []);
  }
  for (const { field, rounded } of ids) {
    if (rounded.problem !== undefined) yield [{ line: 1, problem: `${field}: ${rounded.problem}` }];
  }
}

function rowOf({ line, cells, brokenAt }: CsvRecord, { readers, required }: CsvTable): CsvRow | undefined {
  if (brokenAt !== undefined) {
    const column = readers[brokenAt]?.field;
    return { line, problem: `${column === undefined ? '' : `${column}: `}${expectedQuotes}` };
  }
  if (line === 1 || cells === undefined || cells.every((cell) => cell === '')) return undefined;
  const values = valuesOf(cells, readers, required);
  return typeof values === 'string' ? { line, problem: values } : { line, values };
}
