// The first problem of an import, which rejects the whole import.

import { StartProblem } from '../../runtime/start-problem.ts';

/** Characters of a problem that are shown; a list of unknown fields takes most of them. */
const problemLengthMax = 300;

export class RefusedLine extends StartProblem {
  /** The problem may repeat parts of the line, so it is shortened and control characters are replaced. */
  constructor(place: string, problem: string) {
    const text = problem.slice(0, problemLengthMax).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '?');
    const shown = problem.length > problemLengthMax ? `${text}...` : text;
    super(`Nothing was imported. ${place}: ${shown}`);
  }
}
