// A problem that keeps the server from starting and that its operator can fix, such as a port in use, an unreadable
// folder or an invalid setting. It is printed as one line, without a stack trace.

import { getSystemErrorMessage } from 'node:util';

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
  const [problem] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  return new StartProblem(`Cannot ${what} the database: ${problem}`, { cause: error });
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
