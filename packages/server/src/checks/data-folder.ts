// Checks that the data folder can be used, or created, and that other accounts cannot read it.

import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoreConfig } from '../config/config.ts';
import { isOpenMode, openSecretFiles } from '../config/secret-files.ts';
import { type CheckResult, failed, ok, skipped, warning } from '../runtime/check-result.ts';
import { isSystemError } from '../runtime/system-errors.ts';

const otherwise = 'Let this account write there, or set OPENTILL_DATA_DIR to another folder.';

export async function checkDataFolder({ databaseUrl, dataFolder }: StoreConfig): Promise<CheckResult> {
  const name = 'data folder';
  if (databaseUrl !== undefined) return skipped(name, 'not needed with DATABASE_URL');
  try {
    await access(dataFolder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') return failed(name, `The data folder cannot be used: ${message}. ${otherwise}`);
    const problem = await problemOfCreating(dataFolder);
    return problem === undefined
      ? ok(name, `${dataFolder}, created by the first start`)
      : failed(name, `The data folder ${dataFolder} cannot be created: ${problem}. ${otherwise}`);
  }
  const found = await stat(dataFolder);
  if (!found.isDirectory()) return failed(name, `The data folder ${dataFolder} is not a folder.`);
  const open = await openSecretFiles(dataFolder);
  if (open.length > 0) {
    return warning(name, `other accounts can read ${open.join(', ')} in ${dataFolder}: set the mode 0600`);
  }
  return isOpenMode(found.mode)
    ? warning(name, `other accounts can list the files in ${dataFolder}: set the mode 0700`)
    : ok(name, dataFolder);
}

/** Why this account cannot create a folder, which depends on the nearest parent that exists; undefined if it can. */
async function problemOfCreating(folder: string): Promise<string | undefined> {
  const above = dirname(folder);
  try {
    await access(above, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const isNearest = above === folder || !isSystemError(error, 'ENOENT');
    return isNearest ? (error as Error).message : await problemOfCreating(above);
  }
}
