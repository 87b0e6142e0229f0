// One import under way: lines gather to batches, and while one is written the next is read.

import { type Environment, isSandboxPurchaseId, type PurchaseId } from '../domain/identifiers.ts';
import { type End, isEnd } from '../store/transfer/header.ts';
import { type ImportLine, type LineProblem, readImportLine } from '../store/transfer/import-lines.ts';
import type { ImportWriter } from '../store/transfer/import-writer.ts';
import type { LineOutcome } from '../store/transfer/insertion.ts';
import type { TextLine } from './text-lines.ts';

/** Lines that one transaction writes: enough for a COPY to pay, few enough to hold two batches of them. */
const batchLinesMax = 5_000;

/** A batch is also full when its lines come to so many characters. */
const batchTextMax = 2_097_152;

/** Of what is told of a line; a list of fields takes most of it. */
const problemLengthMax = 300;

export interface ImportReport {
  /** Lines written, by kind. */
  readonly imported: Readonly<Record<string, number>>;
  /** Lines of which the row was there already, and the same. */
  readonly present: Readonly<Record<string, number>>;
  /** Lines of the sandbox's controls, which production has no use for. */
  readonly leftOut: number;
  readonly refused: number;
  /** False: the last line is missing, or there were other lines than it counts. */
  readonly isWhole: boolean;
}

export interface ImportTarget {
  /** Whose database it is. */
  readonly environment: Environment;
  /** Whose export it is. */
  readonly fromEnvironment: Environment;
  /** Told of each line that was not imported, in order. */
  readonly onProblem: (line: number, problem: string) => void;
}

type Entry = ImportLine | ({ readonly number: number } & LineProblem);

export class ImportRun {
  readonly #writer: ImportWriter;
  readonly #target: ImportTarget;
  readonly #imported: Record<string, number> = {};
  readonly #present: Record<string, number> = {};
  #leftOut = 0;
  #refused = 0;
  #lines = 0;
  #end: End | undefined;
  #batch: Entry[] = [];
  #batchText = 0;
  /** The batch before, while it is written. */
  #writing: Promise<void> = Promise.resolve();

  constructor(writer: ImportWriter, target: ImportTarget) {
    this.#writer = writer;
    this.#target = target;
  }

  /** Gives a promise when a batch is full: no further line before that. */
  take(line: TextLine): Promise<void> | undefined {
    const entry = 'problem' in line ? line : this.#read(line.number, line.text);
    if (entry === undefined) return undefined;
    this.#lines += 1;
    if (this.#isLeftOut(entry)) {
      this.#leftOut += 1;
      return undefined;
    }
    this.#batch.push(entry);
    if ('text' in line) this.#batchText += line.text.length;
    const isFull = this.#batch.length >= batchLinesMax || this.#batchText >= batchTextMax;
    return isFull ? this.#flush() : undefined;
  }

  async finish(): Promise<ImportReport> {
    await this.#flush();
    await this.#writing;
    const counted = this.#end?.lines ?? this.#lines;
    return {
      imported: this.#imported,
      present: this.#present,
      leftOut: this.#leftOut,
      refused: this.#refused,
      isWhole: this.#end !== undefined && counted === this.#lines,
    };
  }

  /** Undefined for the last line, which is no line of a store. */
  #read(number: number, text: string): Entry | undefined {
    const object = parseObject(text);
    if (object === undefined) return { number, problem: 'expected an object of JSON' };
    if (this.#end !== undefined) return { number, problem: 'stands after the last line' };
    if (isEnd(object)) {
      this.#end = object;
      return undefined;
    }
    const line = readImportLine(number, object);
    if ('problem' in line) return { number, problem: line.problem };
    const { purchaseId } = line.values;
    const { environment, fromEnvironment } = this.#target;
    const isRealStore = environment === 'production' && fromEnvironment === 'production';
    if (isRealStore && typeof purchaseId === 'string' && isSandboxPurchaseId(purchaseId as PurchaseId)) {
      return { number, problem: 'purchaseId: that of a test purchase' };
    }
    return line;
  }

  #isLeftOut(entry: Entry): boolean {
    return !('problem' in entry) && entry.kind.isSandboxOnly && this.#target.environment !== 'sandbox';
  }

  async #flush(): Promise<void> {
    await this.#writing;
    const batch = this.#batch;
    this.#batch = [];
    this.#batchText = 0;
    this.#writing = this.#write(batch);
    // It is waited for before the next batch: until then, its failure is nobody's.
    this.#writing.catch(() => undefined);
  }

  async #write(batch: readonly Entry[]): Promise<void> {
    const lines = batch.filter((entry): entry is ImportLine => !('problem' in entry));
    const outcomes = (lines.length === 0 ? [] : await this.#writer.write(lines)).values();
    for (const entry of batch) {
      if ('problem' in entry) this.#refuse(entry.number, entry);
      else this.#count(entry, outcomes.next().value);
    }
  }

  #count({ number, kind }: ImportLine, outcome: LineOutcome | undefined): void {
    if (outcome === undefined) throw new Error('A line of a batch has no outcome.');
    if (typeof outcome === 'object') {
      this.#refuse(number, outcome);
      return;
    }
    const counts = outcome === 'imported' ? this.#imported : this.#present;
    counts[kind.kind] = (counts[kind.kind] ?? 0) + 1;
  }

  #refuse(number: number, { problem }: LineProblem): void {
    this.#refused += 1;
    this.#target.onProblem(number, told(problem));
  }
}

/** A problem may repeat what a line says: bounded, and without what a terminal would act on. */
function told(problem: string): string {
  const text = problem.slice(0, problemLengthMax).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '?');
  return problem.length > problemLengthMax ? `${text}...` : text;
}

/** Undefined for what is no object. */
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
