// One import: collects lines into batches, and checks the apps at the end.

import { type Environment, isSandboxPurchaseId, type PurchaseId } from '../../domain/identifiers.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import { noApp } from '../../store/audit/actions.ts';
import { type End, isEnd } from '../../store/transfer/header.ts';
import { type ImportLine, readImportLine } from '../../store/transfer/import-lines.ts';
import { type ImportProblems, RefusedImport } from '../../store/transfer/import-problems.ts';
import type { ImportedCounters, ImportWriter } from '../../store/transfer/import-writer.ts';
import type { Counter } from '../../store/transfer/kinds.ts';
import type { TextLine } from './text-lines.ts';

/** The limits of a batch in lines and characters. */
const batchLinesMax = 1_000;
const batchTextMax = 1_048_576;

const secretHashBytes = 32;

const noCounters = { eventOrder: 0, voidOrder: 0, lastVoidedTime: 0, actionOrder: 0 };

/** Numbers of lines by kind. */
type Counts = Readonly<Record<string, number>>;

export interface ImportReport {
  readonly imported: Counts;
  /** Lines that this store does not take: of another environment, or without an app in a store that is in use. */
  readonly leftOut: number;
  /** Only a check returns with problems, of which the first are named. */
  readonly problemCount: number;
  readonly problems: readonly string[];
}

export interface ImportTarget {
  /** The environment of the database. */
  readonly environment: Environment;
  /** The environment of the export. */
  readonly fromEnvironment: Environment;
  readonly randomness: Randomness;
  /** All problems are collected, and the import is rolled back. */
  readonly isCheck: boolean;
}

export class ImportRun {
  readonly #writer: ImportWriter;
  readonly #problems: ImportProblems;
  readonly #target: ImportTarget;
  /** Whether lines without an app are imported. */
  readonly #isStoreEmpty: boolean;
  readonly #imported: Record<string, number> = {};
  /** By package name; `noApp` if there are lines without an app. */
  readonly #apps = new Map<string, ImportedCounters>();
  #leftOut = 0;
  /** Up to the last line of the export, which is included. */
  #lines = 0;
  #end: End | undefined;
  #batch: ImportLine[] = [];
  /** What was read for the batch, with the lines that are not in it. */
  #batchLines = 0;
  #batchText = 0;

  private constructor(
    writer: ImportWriter,
    problems: ImportProblems,
    { target, isStoreEmpty }: { readonly target: ImportTarget; readonly isStoreEmpty: boolean },
  ) {
    this.#writer = writer;
    this.#problems = problems;
    this.#target = target;
    this.#isStoreEmpty = isStoreEmpty;
  }

  static async begin(
    writer: ImportWriter,
    problems: ImportProblems,
    target: ImportTarget,
  ): Promise<ImportRun> {
    return new ImportRun(writer, problems, { target, isStoreEmpty: await writer.isStoreEmpty() });
  }

  /** Returns a promise to wait for before the next line if the batch is full. */
  add(line: TextLine): Promise<void> | undefined {
    if (this.#end === undefined) this.#lines += 1;
    const entry = 'problem' in line ? line : this.#read(line);
    if (entry !== undefined && 'problem' in entry) this.#problems.addLine(line.number, entry.problem);
    else if (entry !== undefined) this.#batch.push(entry);
    this.#batchLines += 1;
    if ('text' in line) this.#batchText += line.text.length;
    const isFull = this.#batchLines >= batchLinesMax || this.#batchText >= batchTextMax;
    return isFull ? this.#flush() : undefined;
  }

  /**
   * Writes the last batch and checks each app.
   * @throws RefusedImport, unless it is a check
   */
  async finish(): Promise<ImportReport> {
    await this.#flush();
    this.#checkEnd();
    this.#requireSound();
    await this.#writer.analyze();
    const realNow = await this.#writer.readTime();
    for (const [packageName, counters] of this.#apps) {
      if (this.#problems.refusedApps.has(packageName)) continue;
      await this.#writer.finishApp(packageName, counters, realNow);
      this.#requireSound();
    }
    const { count: problemCount, named: problems } = this.#problems;
    return { imported: this.#imported, leftOut: this.#leftOut, problemCount, problems };
  }

  #checkEnd(): void {
    const got = this.#lines - 1;
    if (this.#end === undefined) {
      this.#problems.add('The export', 'expected {"kind":"end"} as its last line: it was cut off');
    } else if ((this.#end.lines ?? got) !== got) {
      this.#problems.add('The export', `expected ${this.#end.lines} lines, got ${got}`);
    }
  }

  #requireSound(): void {
    if (this.#problems.count > 0 && !this.#target.isCheck) throw new RefusedImport(this.#problems);
  }

  /** Returns undefined for a line that is not written. */
  #read({ number, text }: { readonly number: number; readonly text: string }) {
    const object = parseObject(text);
    if (object === undefined) return { problem: 'expected a JSON object' };
    if (this.#end !== undefined) return { problem: 'follows the last line of the export' };
    if (isEnd(object)) {
      this.#end = object;
      return undefined;
    }
    const { refusedApps } = this.#problems;
    const isApp = object['kind'] === 'app';
    if (!isApp && refusedApps.has(String(object['packageName']))) return undefined;
    const line = readImportLine(number, object);
    if ('problem' in line) {
      if (isApp) refusedApps.add(String(object['packageName']));
      return line;
    }
    const adapted = this.#adapt(line);
    if (adapted === undefined) this.#leftOut += 1;
    else if (!('problem' in adapted)) return this.#note(adapted) ?? adapted;
    return adapted;
  }

  /** Returns the problem of a line that does not belong to an app of the lines before it. */
  #note({ kind, packageName, values }: ImportLine) {
    const known = this.#apps.get(packageName);
    const isApp = kind.kind === 'app';
    if (isApp && known !== undefined) return { problem: 'packageName: an earlier line has this app' };
    if (!isApp && known === undefined && packageName !== noApp) {
      return { problem: `packageName: no earlier line has the app ${packageName}` };
    }
    const counters = known ?? { ...noCounters };
    this.#apps.set(packageName, counters);
    for (const [counter, field] of Object.entries(kind.counters) as [Counter, string][]) {
      counters[counter] = Math.max(counters[counter], Number(values[field] ?? 0));
    }
    this.#imported[kind.kind] = (this.#imported[kind.kind] ?? 0) + 1;
    return undefined;
  }

  /** Production takes apps and products of a sandbox, and no test purchases or controls of one. */
  #adapt(line: ImportLine) {
    if (line.packageName === noApp && !this.#isStoreEmpty) return undefined;
    const { environment, fromEnvironment, randomness } = this.#target;
    if (environment === 'sandbox') return line;
    const { kind, values } = line;
    if (fromEnvironment === 'sandbox') {
      if (kind.kind === 'app') return { ...line, values: withNewSecret(values, randomness) };
      return kind.kind === 'product' ? line : undefined;
    }
    const { purchaseId } = values;
    if (typeof purchaseId === 'string' && isSandboxPurchaseId(purchaseId as PurchaseId)) {
      return { problem: 'purchaseId: expected an id that does not start with SANDBOX' };
    }
    return kind.isSandboxOnly ? undefined : line;
  }

  /** An import that is no check ends at its first batch with a problem. */
  async #flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchLines = 0;
    this.#batchText = 0;
    await this.#writer.write(batch);
    this.#requireSound();
  }
}

/** The app without its tokens and orders; no secret has the random hash. */
function withNewSecret(values: ImportLine['values'], randomness: Randomness): ImportLine['values'] {
  const { clientId, appNumber, name, disabledAt, createdAt } = values;
  const clientSecretHash = randomness.bytes(secretHashBytes).toString('hex');
  const fresh = { tokenGeneration: 0, eventOrder: 0, voidOrder: 0, lastVoidedTime: 0 };
  return { clientId, appNumber, name, disabledAt, createdAt, clientSecretHash, ...fresh };
}

/** Undefined for anything other than a JSON object. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
