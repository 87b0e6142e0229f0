// Reads the lines of an import after the first: which of them are written, their counts, and the apps that they bring.

import {
  type Environment,
  isSandboxPurchaseId,
  type PurchaseId,
  wholeStore,
} from '../../domain/identifiers.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import { type End, isEnd } from '../../store/transfer/header.ts';
import { type ImportLine, type LineProblem, readImportLine } from '../../store/transfer/import-line.ts';
import type { ImportProblems, Place } from '../../store/transfer/import-problems.ts';
import type { ImportedCounters } from '../../store/transfer/import-writer.ts';
import type { Counter } from '../../store/transfer/kinds.ts';
import { type JsonObject, type SourceLine, secretHashBytes } from './import-source.ts';

const endPlace: Place = { number: Number.MAX_SAFE_INTEGER, name: 'The export' };

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
  read(line: SourceLine): ImportLine | undefined {
    const read = 'problem' in line ? line : this.#read(line.place, line.object);
    if (this.#end === undefined) this.#lines += 1;
    if (read === undefined || !('problem' in read)) return read;
    this.#problems.add(line.place, read.problem);
    return undefined;
  }

  requireEnd(): void {
    const got = this.#lines;
    if (this.#end === undefined) {
      this.#problems.add(endPlace, 'expected {"kind":"end"} as its last line: it was cut off');
    } else if ((this.#end.lines ?? got) !== got) {
      this.#problems.add(endPlace, `expected ${this.#end.lines} lines, got ${got}`);
    }
  }

  #read(place: Place, object: JsonObject | undefined) {
    if (object === undefined) return { problem: 'expected a JSON object' };
    if (this.#end !== undefined) return { problem: 'follows the last line of the export' };
    if (isEnd(object)) {
      this.#end = object;
      return undefined;
    }
    const { refusedApps } = this.#problems;
    const isApp = object['kind'] === 'app';
    if (!isApp && refusedApps.has(String(object['packageName']))) return undefined;
    const line = readImportLine(place, object);
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
      // Without its tokens, orders and secret.
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
