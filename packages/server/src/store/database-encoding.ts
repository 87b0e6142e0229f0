// The encoding of a database. What stores and their buyers write may be in any language.

import Type from 'typebox';
import { StartProblem, unpreparedDatabase } from '../runtime/start-problem.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** Others refuse texts; SQL_ASCII counts bytes where the rules of tables mean characters. */
const neededEncoding = 'UTF8';

const selectEncoding = statement({
  name: 'select_server_encoding',
  text: `select current_setting('server_encoding') as encoding`,
  row: Type.Object({ encoding: Type.String() }),
});

/** For people; undefined: nothing is wrong with it. */
export function encodingProblem(encoding: string): string | undefined {
  if (encoding === neededEncoding) return undefined;
  return `The encoding of the database is ${encoding}, and ${neededEncoding} is needed: make another one by "create database ... template template0 encoding '${neededEncoding}'".`;
}

/** @throws StartProblem */
export async function requireRightEncoding(queryable: Queryable): Promise<void> {
  const [found] = await queryable.rows(selectEncoding, []).catch((error: unknown) => {
    throw unpreparedDatabase(error);
  });
  const problem = encodingProblem(found?.encoding ?? '');
  if (problem !== undefined) throw new StartProblem(problem);
}
