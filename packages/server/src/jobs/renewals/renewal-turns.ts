// Whose transaction of the job comes next. They go one after another, so that however much is due, one connection
// and one processor are busy with it at most, and what waits meanwhile shares the next transaction.

export type TurnKind =
  /** Writes what is paid: it goes first. */
  | 'settle'
  /** Takes on more. */
  | 'begin';

export class RenewalTurns {
  readonly #waiting: Readonly<Record<TurnKind, (() => void)[]>> = { settle: [], begin: [] };
  #isTaken = false;

  /** Runs `work` when nothing else runs and nothing of its kind has waited longer. */
  async take<Result>(kind: TurnKind, work: () => Promise<Result>): Promise<Result> {
    // Who is let in takes the turn over from who ended.
    if (this.#isTaken) await new Promise<void>((begin) => this.#waiting[kind].push(begin));
    this.#isTaken = true;
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  #passOn(): void {
    const next = this.#waiting.settle.shift() ?? this.#waiting.begin.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
