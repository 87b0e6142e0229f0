// What a server needs of the machine: a Node.js that is new enough, and a data folder that is its own.

import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import type { StoreConfig } from '../../config.ts';
import { isSystemError } from '../../runtime/system-errors.ts';
import { isOpenMode, openSecretFiles } from '../../secret-files.ts';
import { type CheckResult, failed, ok, skipped, warning } from './check-result.ts';

export function checkNode(version: string): CheckResult {
  const name = 'Node.js';
  const majorOf = (text: string) => Number(/\d+/.exec(text)?.[0]);
  const needed = manifest.engines.node;
  return majorOf(version) >= majorOf(needed)
    ? ok(name, version)
    : failed(name, `${version}: expected ${needed}`);
}

export async function checkDataFolder({ databaseUrl, dataFolder }: StoreConfig): Promise<CheckResult> {
  const name = 'data folder';
  if (databaseUrl !== undefined) return skipped(name, 'with DATABASE_URL none is needed');
  try {
    await access(dataFolder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') return failed(name, message);
    const problem = await problemOfMaking(dataFolder);
    return problem === undefined
      ? ok(name, `${dataFolder} will be made by the first start`)
      : failed(name, `${dataFolder} cannot be made: ${problem}`);
  }
  const found = await stat(dataFolder);
  if (!found.isDirectory()) return failed(name, `${dataFolder} is no folder`);
  const open = await openSecretFiles(dataFolder);
  if (open.length > 0) {
    return warning(name, `other accounts can read ${open.join(', ')} in ${dataFolder}: set the mode 0600`);
  }
  return isOpenMode(found.mode)
    ? warning(name, `other accounts can look into ${dataFolder}: set the mode 0700`)
    : ok(name, dataFolder);
}

/** What keeps this account from making a folder that is not there: that is decided by the nearest one above which is. */
async function problemOfMaking(folder: string): Promise<string | undefined> {
  const above = dirname(folder);
  try {
    await access(above, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const isNearest = above === folder || !isSystemError(error, 'ENOENT');
    return isNearest ? (error as Error).message : await problemOfMaking(above);
  }
}
