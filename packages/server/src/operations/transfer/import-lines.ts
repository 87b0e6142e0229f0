// Reads the lines of an export after the first: which of them are written, their counts, and the apps that they bring.

import { isUtf8 } from 'node:buffer';
import {
  type Environment,
  isSandboxPurchaseId,
  type PurchaseId,
  wholeStore,
} from '../../domain/identifiers.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import { type End, isEnd } from '../../store/transfer/header.ts';
import { type ImportLine, type LineProblem, readImportLine } from '../../store/transfer/import-line.ts';
import type { ImportProblems } from '../../store/transfer/import-problems.ts';
import type { ImportedCounters } from '../../store/transfer/import-writer.ts';
import type { Counter } from '../../store/transfer/kinds.ts';

const secretHashBytes = 32;

export interface ImportTarget {
  /** The environment of the database. */
  readonly environment: Environment;
  /** The environment of the export. */
  readonly fromEnvironment: Environment;
  readonly randomness: Randomness;
}

export class ImportLines {
  readonly imported: Record<string, number> = {};
  /** By package name; `wholeStore` if there are lines without an app. */
  readonly apps = new Map<string, ImportedCounters>();
  leftOut = 0;
  readonly #problems: ImportProblems;
  readonly #target: ImportTarget;
  /** Whether lines without an app are imported. */
  readonly #isStoreEmpty: boolean;
  /** Lines before the last one of the export. */
  #lines = 0;
  #end: End | undefined;

  constructor(problems: ImportProblems, target: ImportTarget, isStoreEmpty: boolean) {
    this.#problems = problems;
    this.#target = target;
    this.#isStoreEmpty = isStoreEmpty;
  }

  /** Returns undefined for a line that is not written. */
  read(line: TextLine): ImportLine | undefined {
    const read = 'problem' in line ? line : this.#read(line.number, parseObject(line.text));
    if (this.#end === undefined) this.#lines += 1;
    if (read === undefined || !('problem' in read)) return read;
    this.#problems.addLine(line.number, read.problem);
    return undefined;
  }

  requireEnd(): void {
    const got = this.#lines;
    if (this.#end === undefined) {
      this.#problems.add('The export', 'expected {"kind":"end"} as its last line: it was cut off');
    } else if ((this.#end.lines ?? got) !== got) {
      this.#problems.add('The export', `expected ${this.#end.lines} lines, got ${got}`);
    }
  }

  #read(number: number, object: Readonly<Record<string, unknown>> | undefined) {
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
    if ('problem' in line && isApp) refusedApps.add(String(object['packageName']));
    const adapted = 'problem' in line ? line : this.#adapt(line);
    if (adapted === undefined) this.leftOut += 1;
    return adapted === undefined || 'problem' in adapted ? adapted : this.#count(adapted);
  }

  /** Production takes apps and products of a sandbox, and no test purchases or controls of one. */
  #adapt(line: ImportLine): ImportLine | LineProblem | undefined {
    if (line.packageName === wholeStore && !this.#isStoreEmpty) return undefined;
    const { environment, fromEnvironment, randomness } = this.#target;
    if (environment === 'sandbox') return line;
    const { kind, values } = line;
    if (fromEnvironment === 'sandbox') {
      if (kind.kind !== 'app') return kind.kind === 'product' ? line : undefined;
      // Without its tokens and orders; no secret has the random hash.
      const { clientId, appNumber, name, disabledAt, createdAt } = values;
      const clientSecretHash = randomness.bytes(secretHashBytes).toString('hex');
      const fresh = { tokenGeneration: 0, eventOrder: 0, voidOrder: 0, lastVoidedTime: 0 };
      return {
        ...line,
        values: { clientId, appNumber, name, disabledAt, createdAt, clientSecretHash, ...fresh },
      };
    }
    const { purchaseId } = values;
    if (typeof purchaseId === 'string' && isSandboxPurchaseId(purchaseId as PurchaseId)) {
      return { problem: 'purchaseId: expected an id that does not start with SANDBOX' };
    }
    return kind.isSandboxOnly ? undefined : line;
  }

  /** The line has a problem if it does not belong to an app of the lines before it. */
  #count(line: ImportLine): ImportLine | LineProblem {
    const { kind, packageName, values } = line;
    const known = this.apps.get(packageName);
    const isApp = kind.kind === 'app';
    if (isApp && known !== undefined) return { problem: 'packageName: an earlier line has this app' };
    if (!isApp && known === undefined && packageName !== wholeStore) {
      return { problem: `packageName: no earlier line has the app ${packageName}` };
    }
    const counters = known ?? { eventOrder: 0, voidOrder: 0, lastVoidedTime: 0, actionOrder: 0 };
    this.apps.set(packageName, counters);
    for (const [counter, field] of Object.entries(kind.counters) as [Counter, string][]) {
      counters[counter] = Math.max(counters[counter], Number(values[field] ?? 0));
    }
    this.imported[kind.kind] = (this.imported[kind.kind] ?? 0) + 1;
    return line;
  }
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

/** The longest line of an export is a delivery: 20 responses of 1 KB, with each byte escaped. */
export const lineBytesMax = 262_144;

/** Numbered from 1; an invalid line has a problem instead of a text. */
export type TextLine =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly problem: string };

const lineFeed = 0x0a;

/** Yields the lines that each chunk completes, and at the end a last line without a line feed. */
export async function* textLines(input: AsyncIterable<Buffer>): AsyncGenerator<TextLine[]> {
  let number = 0;
  const lineOf = (bytes: Buffer): TextLine => {
    number += 1;
    if (bytes.length > lineBytesMax) return { number, problem: `longer than ${lineBytesMax} bytes` };
    return isUtf8(bytes) ? { number, text: bytes.toString() } : { number, problem: 'not UTF-8' };
  };
  let partial = Buffer.alloc(0);
  for await (const chunk of input) {
    // Of a line that is too long, one byte more than allowed is kept.
    if (partial.length > lineBytesMax && !chunk.includes(lineFeed)) continue;
    const bytes = Buffer.concat([partial, chunk]);
    const lines: TextLine[] = [];
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      lines.push(lineOf(bytes.subarray(start, end)));
      start = end + 1;
    }
    partial = bytes.subarray(start, start + lineBytesMax + 1);
    yield lines;
  }
  if (partial.length > 0) yield [lineOf(partial)];
}
