// What keeps the server from starting and is for its operator to mend: a port in use, an unreadable
// folder, a wrong setting. It is printed as one line, without a stack trace.

/** The message says what is wrong and what to do, in one line a problem. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';
}

/** A database of no use, in one line: what a library tells of a failure may hold a whole stack. */
export function unpreparedDatabase(error: unknown): StartProblem {
  if (error instanceof StartProblem) return error;
  const [problem] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  return new StartProblem(`The database could not be prepared: ${problem}`, { cause: error });
}
