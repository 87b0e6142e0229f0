// Which account of the machine runs PostgreSQL. PostgreSQL refuses to run as root, so a server that is
// root hands it to an account that exists already: initdb looks it up by its number and fails on a
// made-up one.

import { readFile, stat } from 'node:fs/promises';
import { StartProblem } from '../runtime/start-problem.ts';
import { isSystemError } from '../runtime/system-errors.ts';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The order of preference: the account made for PostgreSQL, else the one that owns nothing. */
const accountNames = ['postgres', 'nobody'];

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The unprivileged account that a server run by root uses; a StartProblem if the machine has none. */
export async function requireUnprivilegedAccount(passwdFile = '/etc/passwd'): Promise<Account> {
  const lines = (await readFile(passwdFile, 'utf8')).split('\n').map((line) => line.split(':'));
  for (const wanted of accountNames) {
    const [name, , uid, gid] = lines.find((fields) => fields[0] === wanted) ?? [];
    const account = { name: name ?? '', uid: Number(uid), gid: Number(gid) };
    if (account.uid > 0 && Number.isInteger(account.uid) && Number.isInteger(account.gid)) return account;
  }
  throw new StartProblem(
    `PostgreSQL does not run as root, and ${passwdFile} has neither an account 'postgres' nor 'nobody': ` +
      'run OpenTill as an ordinary user, or set DATABASE_URL',
  );
}

/** Who owns a folder, if it is there and not root's own. PostgreSQL runs only as the owner of its data. */
export async function findOwner(folder: string): Promise<Account | undefined> {
  try {
    const { uid, gid } = await stat(folder);
    return uid === 0 ? undefined : { name: `account ${uid}`, uid, gid };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}
