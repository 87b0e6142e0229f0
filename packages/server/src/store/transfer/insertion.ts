// Inserts lines of one kind and one app: many by a COPY where all are new, else by a statement that passes over
// what is there; a line that breaks a rule of its table is found by halving.

import { isDeepStrictEqual } from 'node:util';
import { DatabaseError } from 'pg';
import type { Session } from '../session.ts';
import type { ImportLine } from './import-lines.ts';
import { importStatements, type KeyRow, type KindStatements } from './import-statements.ts';
import type { TransferKind } from './kinds.ts';

/** What became of a line: written; there already, and the same; or not written. */
export type LineOutcome = 'imported' | 'present' | { readonly problem: string };

/** Lines of one kind and one app, in their order. */
export interface Run {
  readonly kind: TransferKind;
  readonly packageName: string;
  readonly lines: readonly ImportLine[];
}

/** For fewer rows a COPY is not worth its savepoint. */
const copiedMin = 50;

/** SQLSTATEs of data that breaks a rule of a table: 22 of a value, 23 a constraint. */
function isDataProblem(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && /^2[23]/.test(error.code ?? '');
}

/** Says what became of each line, in order; within a transaction of the session. */
export async function insertRun(session: Session, run: Run): Promise<LineOutcome[]> {
  const statements = importStatements(run.kind);
  if (statements.copied !== undefined && run.lines.length >= copiedMin) {
    const { text, fields } = statements.copied;
    const rows = run.lines.map((line) => copiedRow(line, fields)).join('');
    const copied = await atSavepoint(session, () => session.copyIn(text, rows));
    if (!('refused' in copied)) return run.lines.map(() => 'imported');
  }
  return insertOrFind(session, run, statements);
}

async function insertOrFind(session: Session, run: Run, statements: KindStatements): Promise<LineOutcome[]> {
  const inserted = await atSavepoint(session, () => insertNew(session, run, statements));
  if (!('refused' in inserted)) return inserted.result;
  const { lines } = run;
  if (lines.length === 1) return [{ problem: `the database refuses it: ${inserted.refused.message}` }];
  const middle = Math.ceil(lines.length / 2);
  const half = (part: readonly ImportLine[]) => insertOrFind(session, { ...run, lines: part }, statements);
  return [...(await half(lines.slice(0, middle))), ...(await half(lines.slice(middle)))];
}

/** What `work` gives, or the rule of a table that it broke: then nothing of it was done. */
async function atSavepoint<Result>(
  session: Session,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result } | { readonly refused: DatabaseError }> {
  await session.control('savepoint before_lines');
  try {
    const result = await work();
    await session.control('release savepoint before_lines');
    return { result };
  } catch (error) {
    if (!isDataProblem(error)) throw error;
    await session.control('rollback to savepoint before_lines');
    return { refused: error };
  }
}

async function insertNew(
  session: Session,
  { kind, packageName, lines }: Run,
  { insert, insertRest, findLines }: KindStatements,
): Promise<LineOutcome[]> {
  const { key } = kind.tables[0];
  const keyOf = (values: KeyRow) => JSON.stringify(key.map((field) => values[field]));
  const asJson = (some: readonly ImportLine[]) => JSON.stringify(some.map(({ values }) => values));
  const rows = await session.rows(insert, [packageName, asJson(lines)]);
  const unclaimed = new Set(rows.map(keyOf));
  // Of two lines with one key the first is the row that was written.
  const imported = new Set(lines.filter(({ values }) => unclaimed.delete(keyOf(values))));
  if (imported.size > 0) {
    for (const rest of insertRest) await session.rows(rest, [packageName, asJson([...imported])]);
  }
  const others = lines.filter((line) => !imported.has(line));
  const found = others.length === 0 ? [] : await session.rows(findLines, [packageName, asJson(others)]);
  const there = new Map(found.map(({ line }) => JSON.parse(line) as KeyRow).map((row) => [keyOf(row), row]));
  return lines.map((line) =>
    imported.has(line) ? 'imported' : compared(kind, line.values, there.get(keyOf(line.values))),
  );
}

function compared(kind: TransferKind, values: KeyRow, there: KeyRow | undefined): LineOutcome {
  if (there === undefined) return { problem: 'another row has a value of it that has to be unique' };
  const fields = kind.tables.flatMap(({ columns }) => Object.keys(columns));
  const different = fields.filter(
    (field) => !kind.moving.includes(field) && !isDeepStrictEqual(values[field], there[field]),
  );
  if (different.length === 0) return 'present';
  return { problem: `is there already, and differs in ${different.join(', ')}: it stays as it is` };
}

/** A row of PostgreSQL's text format of COPY. */
function copiedRow({ packageName, values }: ImportLine, fields: readonly string[]): string {
  return `${packageName}\t${fields.map((field) => copiedValue(values[field])).join('\t')}\n`;
}

function copiedValue(value: unknown): string {
  if (value === undefined) return '\\N';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[\\\n\r\t]/.test(text) ? text.replace(/[\\\n\r\t]/g, (mark) => escapes[mark] ?? mark) : text;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
