// The result of a check, and why a check has none.

export type Outcome = 'pass' | 'fail' | 'inconclusive';

export interface Verdict {
  readonly outcome: Outcome;
  /** Why the check failed or is inconclusive. */
  readonly because?: string;
}

/** The problem of a response; undefined if there is none. */
export type Problem = string | undefined;

/** Thrown when a check cannot be decided: it lacks test data, or the server was never reached or is overloaded. */
export class Inconclusive extends Error {}

/** Thrown when a server that was reached gave no response. */
export class NoResponse extends Error {}

/** @throws Inconclusive */
export function inconclusive(because: string): never {
  throw new Inconclusive(because);
}
