// What keeps the server from starting and is for its operator to mend: a port in use, an unreadable
// folder, a wrong setting. It is printed as one line, without a stack trace.

/** The message says what is wrong and what to do, in one line a problem. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';
}

/** A database of no use. */
export function unpreparedDatabase(error: unknown): StartProblem {
  return error instanceof StartProblem ? error : databaseProblem('could not be prepared', error);
}

/** A database to which there is no way with these settings. */
export function unreachableDatabase(error: unknown): StartProblem {
  return databaseProblem('cannot be connected to', error);
}

/** A database with which the account may not do what it has to. */
export function closedDatabase(error: unknown): StartProblem {
  return databaseProblem('cannot be worked with', error);
}

/** In one line: what a library tells of a failure may hold a whole stack. */
function databaseProblem(what: string, error: unknown): StartProblem {
  const [problem] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  return new StartProblem(`The database ${what}: ${problem}`, { cause: error });
}
