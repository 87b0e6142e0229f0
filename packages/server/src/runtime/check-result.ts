// The result of a check of what a server needs: a start requires that none fails, and `opentill doctor` prints each.

import { StartProblem } from './start-problem.ts';

/** `skipped`: nothing to check; `warning`: the server starts, but this may not be intended. */
export interface CheckResult {
  readonly name: string;
  readonly verdict: 'ok' | 'warning' | 'failed' | 'skipped';
  /** For people, without secrets. */
  readonly detail: string;
}

type Judged = (name: string, detail: string) => CheckResult;

const judged =
  (verdict: CheckResult['verdict']): Judged =>
  (name, detail) => ({ name, verdict, detail });

export const ok = judged('ok');
export const warning = judged('warning');
export const failed = judged('failed');
export const skipped = judged('skipped');

/** @throws StartProblem with a line for each failed check. */
export function requirePassed(results: readonly CheckResult[]): void {
  const problems = results.filter(({ verdict }) => verdict === 'failed').map(({ detail }) => detail);
  if (problems.length > 0) throw new StartProblem(problems.join('\n'));
}
