// The problems of an import: the first are named, the others only counted.

import { printable } from '../../domain/text/quoted-value.ts';
import { StartProblem } from '../../runtime/start-problem.ts';

/** More than anybody reads before the next attempt. */
const problemsNamedMax = 100;

/** Characters of a problem that are shown; a list of unknown fields takes most of them. */
const problemLengthMax = 300;

/** Where a line is, for people; `number` orders the lines. */
export interface Place {
  readonly number: number;
  readonly name: string;
}

interface NamedProblem {
  readonly place: Place;
  readonly text: string;
  /** The row of a problem that was found among the rows. */
  readonly row?: string;
}

/** Identifies a row of an app by the kind of its line and its key. */
export const rowName = (kind: string, key: string): string => `${kind} ${key}`;

export class ImportProblems {
  /** Apps whose own line has a problem: their other lines are skipped. */
  readonly refusedApps = new Set<string>();
  #named: NamedProblem[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** How many more can be named. */
  get nameable(): number {
    return problemsNamedMax - this.#named.length;
  }

  /** The named problems, by line. */
  get named(): string[] {
    return this.#named
      .toSorted((a, b) => a.place.number - b.place.number)
      .map(({ place, text }) => `${place.name}: ${text}`);
  }

  /** A problem may repeat parts of a line, so it is shortened and control characters are replaced. */
  add(place: Place, problem: string, row?: string): void {
    this.#count += 1;
    if (this.nameable <= 0) return;
    const text = printable(problem.slice(0, problemLengthMax));
    const shown = problem.length > problemLengthMax ? `${text}...` : text;
    this.#named.push({ place, text: shown, ...(row !== undefined && { row }) });
  }

  /** A row that contradicts others; its line was read before. */
  addRow(packageName: string, { kind, key, problem }: Record<'kind' | 'key' | 'problem', string>): void {
    const name = kind === 'app' ? `The app ${packageName}` : `The ${kind} ${key} of ${packageName}`;
    this.add({ number: Number.MAX_SAFE_INTEGER, name }, problem, rowName(kind, key));
  }

  /** Names the lines of the rows with a problem, if their source can find them. */
  async locateRows(
    findRows: ((rows: ReadonlySet<string>) => Promise<ReadonlyMap<string, Place>>) | undefined,
  ): Promise<void> {
    const rows = new Set(this.#named.flatMap(({ row }) => row ?? []));
    if (findRows === undefined || rows.size === 0) return;
    const places = await findRows(rows);
    this.#named = this.#named.map((one) => ({ ...one, place: places.get(one.row ?? '') ?? one.place }));
  }

  addUnnamed(count: number): void {
    this.#count += count;
  }
}

/** The import was rolled back. */
export class RefusedImport extends StartProblem {
  constructor({ count, named }: ImportProblems) {
    const number = count === 1 ? '' : ` ${count} problems:\n`;
    super(`Nothing was imported.${number === '' ? ' ' : number}${named.join('\n')}`);
  }
}
