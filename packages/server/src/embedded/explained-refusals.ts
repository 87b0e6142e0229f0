// What the operating system's error codes mean to somebody who starts a server. Knows no PostgreSQL.

import { StartProblem } from '../runtime/start-problem.ts';

const meanings: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'it exists and is not a folder',
  EISDIR: 'it is a folder',
  ENOENT: 'a part of the path does not exist',
  ELOOP: 'its links go in circles',
  ENAMETOOLONG: 'the path is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
};

/**
 * Runs a step on files; a refusal of the operating system becomes a StartProblem that begins with
 * `what`. Anything else is passed on.
 */
export async function explainRefusal<Result>(what: string, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const meaning = meanings[code];
    if (meaning === undefined) throw error;
    throw new StartProblem(`${what}: ${meaning} (${code})`, { cause: error });
  }
}
