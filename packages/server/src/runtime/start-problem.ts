// A problem that keeps the server from starting and that its operator can fix, such as a port in use or an invalid setting:
// one line, without a stack trace. And the result of a check, of which a start requires that none fails.

import { getSystemErrorMessage } from 'node:util';
import { nodeTlsAdvice } from './system-errors.ts';

/** The message says in one line what is wrong and what to do. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';
}

/** A database that cannot be migrated. */
export function unpreparedDatabase(error: unknown): StartProblem {
  return error instanceof StartProblem ? error : databaseProblem('prepare', error);
}

/** A database that cannot be reached with these settings. */
export function unreachableDatabase(error: unknown): StartProblem {
  return databaseProblem('connect to', error);
}

/** A database in which the account lacks permissions. */
export function closedDatabase(error: unknown): StartProblem {
  return databaseProblem('use', error);
}

/** Only the first line: the message of a library may contain a stack trace. */
function databaseProblem(what: string, error: unknown): StartProblem {
  const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  const advised = problem.replace(nodeTlsAdvice, ': add sslrootcert=<file of its authority> to DATABASE_URL');
  return new StartProblem(`Cannot ${what} the database: ${advised}`, { cause: error });
}

/** Runs a step; an error of the operating system becomes a StartProblem that starts with `what`. */
export async function explainSystemError<Result>(what: string, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    const { errno, code } = error as NodeJS.ErrnoException;
    if (errno === undefined) throw error;
    throw new StartProblem(`${what}: ${getSystemErrorMessage(errno)} (${code})`, { cause: error });
  }
}

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
