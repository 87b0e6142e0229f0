// The problems of an import: the first are named, the others only counted.

import { printable } from '../../domain/quoted-value.ts';
import { StartProblem } from '../../runtime/start-problem.ts';

/** More than anybody reads before the next attempt. */
const problemsNamedMax = 100;

/** Characters of a problem that are shown; a list of unknown fields takes most of them. */
const problemLengthMax = 300;

export class ImportProblems {
  /** Apps whose own line has a problem: their other lines are skipped. */
  readonly refusedApps = new Set<string>();
  readonly #named: { readonly line: number; readonly text: string }[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** How many more can be named. */
  get nameable(): number {
    return problemsNamedMax - this.#named.length;
  }

  /** Those that are named, lines first and in their order. */
  get named(): string[] {
    return this.#named.toSorted((a, b) => a.line - b.line).map(({ text }) => text);
  }

  addLine(line: number, problem: string): void {
    this.add(`Line ${line}`, problem, line);
  }

  /** A problem may repeat parts of a line, so it is shortened and control characters are replaced. */
  add(place: string, problem: string, line: number = Number.MAX_SAFE_INTEGER): void {
    this.#count += 1;
    if (this.nameable <= 0) return;
    const text = printable(problem.slice(0, problemLengthMax));
    const shown = problem.length > problemLengthMax ? `${text}...` : text;
    this.#named.push({ line, text: `${place}: ${shown}` });
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
