// One import: collects lines into batches, and reads the next batch while one is written.

import { type Environment, isSandboxPurchaseId, type PurchaseId } from '../../domain/identifiers.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import { StartProblem } from '../../runtime/start-problem.ts';
import { type NewAction, noApp } from '../../store/audit/actions.ts';
import { type End, isEnd } from '../../store/transfer/header.ts';
import { type ImportLine, readImportLine } from '../../store/transfer/import-lines.ts';
import type { ImportedCounters, ImportWriter } from '../../store/transfer/import-writer.ts';
import type { Counter } from '../../store/transfer/kinds.ts';
import { RefusedLine } from '../../store/transfer/refused-line.ts';
import type { TextLine } from './text-lines.ts';

/** The limits of a batch in lines and characters: two batches are in memory at a time. */
const batchLinesMax = 2_000;
const batchTextMax = 2_097_152;

const secretHashBytes = 32;

const noCounters = { eventOrder: 0, voidOrder: 0, lastVoidedTime: 0, actionOrder: 0 };

/** Numbers of lines by kind. */
type Counts = Readonly<Record<string, number>>;

export interface ImportReport {
  readonly imported: Counts;
  /** Lines that this store does not take: of another environment, or without an app in a store that is in use. */
  readonly leftOut: number;
}

export interface ImportTarget {
  /** The environment of the database. */
  readonly environment: Environment;
  /** The environment of the export. */
  readonly fromEnvironment: Environment;
  readonly randomness: Randomness;
}

export class ImportRun {
  readonly #writer: ImportWriter;
  readonly #target: ImportTarget;
  /** Whether lines without an app are imported. */
  readonly #isStoreEmpty: boolean;
  readonly #imported: Record<string, number> = {};
  /** By package name; `noApp` if there are lines without an app. */
  readonly #apps = new Map<string, ImportedCounters>();
  #leftOut = 0;
  #lines = 0;
  #end: End | undefined;
  #batch: ImportLine[] = [];
  #batchText = 0;
  /** The write of the previous batch. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(writer: ImportWriter, target: ImportTarget, isStoreEmpty: boolean) {
    this.#writer = writer;
    this.#target = target;
    this.#isStoreEmpty = isStoreEmpty;
  }

  static async begin(writer: ImportWriter, target: ImportTarget): Promise<ImportRun> {
    return new ImportRun(writer, target, await writer.isStoreEmpty());
  }

  /** Returns a promise to wait for before the next line if the batch is full or the line is bad. */
  add(line: TextLine): Promise<void> | undefined {
    const entry = 'problem' in line ? line : this.#read(line);
    if (entry === undefined) return undefined;
    if ('problem' in entry) return this.#refuse(line.number, entry.problem);
    this.#batch.push(entry);
    if ('text' in line) this.#batchText += line.text.length;
    const isFull = this.#batch.length >= batchLinesMax || this.#batchText >= batchTextMax;
    return isFull ? this.#flush() : undefined;
  }

  /** @throws StartProblem for an export that was cut off, or whose rows contradict each other. */
  async commit(actionOf: (report: ImportReport) => NewAction): Promise<ImportReport> {
    await this.#flush();
    await this.#writing;
    if (this.#end === undefined || (this.#end.lines ?? this.#lines) !== this.#lines) {
      throw new StartProblem('Nothing was imported: the export was cut off, or lines are missing from it.');
    }
    await this.#writer.finish(this.#apps);
    const report = { imported: this.#imported, leftOut: this.#leftOut };
    await this.#writer.commit(actionOf(report));
    return report;
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
    this.#lines += 1;
    const line = readImportLine(number, object);
    if ('problem' in line) return line;
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

  /** Writes the lines before a bad one first, since one of them may be bad, too. */
  async #refuse(number: number, problem: string): Promise<never> {
    await this.#flush();
    await this.#writing;
    throw new RefusedLine(`Line ${number}`, problem);
  }

  async #flush(): Promise<void> {
    await this.#writing;
    const batch = this.#batch;
    this.#batch = [];
    this.#batchText = 0;
    this.#writing = this.#writer.write(batch);
    // Awaited before the next batch; until then a failure must not count as unhandled.
    this.#writing.catch(() => undefined);
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
