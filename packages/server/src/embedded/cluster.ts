// The cluster, which is the folder of PostgreSQL's data: created once by initdb, with its password.

import { execFile } from 'node:child_process';
import { appendFile, chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFileOnce, exists, syncFolder } from '../runtime/files.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { explainSystemError, StartProblem } from '../runtime/start-problem.ts';
import { type InstalledBinaries, programPath } from './binaries.ts';
import { type DataFolder, draftPrefix } from './data-folder.ts';
import { databaseUser, findErrorLine, minimalEnvironment } from './postgres-settings.ts';

/** As many bits as scram-sha-256 uses. */
const passwordBytes = 32;

/** initdb takes half a second; a slow disk may need much longer. */
const initdbTimeoutMs = 60_000;

/** With PostgreSQL's own collation, an update of the system's libraries does not change the order of an index. */
const initdbArguments =
  '--auth=scram-sha-256 --encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8 --no-instructions';

interface ClusterOptions {
  readonly folder: DataFolder;
  readonly native: string;
  readonly password: string;
  readonly isDurable: boolean;
}

/** Whether the cluster exists. Throws a StartProblem if it was created and is missing, as after half a restore. */
export async function hasCluster({ path, clusterFolder, locationPath }: DataFolder): Promise<boolean> {
  // In this order, since a start records the location after it has created the cluster.
  const wasCreated = await exists(locationPath);
  if (await exists(clusterFolder)) return true;
  if (!wasCreated) return false;
  const location = (await readFile(locationPath, 'utf8')).split('\n', 1)[0];
  throw new StartProblem(
    `${clusterFolder} is missing, the database of the data folder ${path}, which was created in ${location}: restore ` +
      'it or mount its disk, use the path and the account that created it, or set a new data folder to start with an ' +
      'empty database',
  );
}

/** Throws a StartProblem if the cluster was created by another major version of PostgreSQL. */
export async function refuseOtherMajorVersion(
  { path, clusterFolder }: DataFolder,
  { version }: InstalledBinaries,
): Promise<void> {
  const bundled = version.split('.')[0];
  const found = await explainSystemError(`cannot read the database in ${clusterFolder}`, () =>
    readFile(join(clusterFolder, 'PG_VERSION'), 'utf8'),
  );
  if (found.trim() === bundled) return;
  throw new StartProblem(
    `the data folder ${path} was created by PostgreSQL ${found.trim()}, but this OpenTill includes PostgreSQL ` +
      `${bundled}: run \`opentill export\` with the OpenTill that created it, and import into a new data folder`,
  );
}

/** The password of this data folder, created by the first start, before the cluster. */
export async function requirePassword({ passwordPath, clusterFolder }: DataFolder): Promise<string> {
  return await explainSystemError(`cannot read or create ${passwordPath}`, async () => {
    if (!(await exists(clusterFolder)))
      await createFileOnce(passwordPath, secureRandomness.bytes(passwordBytes).toString('base64url'));
    return (await readFile(passwordPath, 'utf8')).trim();
  });
}

/** Creates the cluster, completely or not at all, unless it exists. Then records its location. */
export async function requireCluster(options: ClusterOptions): Promise<void> {
  const { base, clusterFolder, locationPath } = options.folder;
  await explainSystemError(`cannot create the database in ${base}`, async () => {
    if (!(await exists(clusterFolder))) await makeCluster(options);
    await createFileOnce(
      locationPath,
      `${clusterFolder}\n\nThe folder above contains the database of this data folder. Back up both together.\n` +
        'Without the database, OpenTill refuses to start instead of creating an empty one.\n',
    );
  });
}

async function makeCluster(options: ClusterOptions): Promise<void> {
  const { base, clusterFolder, account } = options.folder;
  const draft = await mkdtemp(join(base, draftPrefix));
  const passwordFile = join(draft, 'password');
  const data = join(draft, 'data');
  try {
    await writeFile(passwordFile, options.password, { mode: 0o600 });
    await mkdir(data, { mode: 0o700 });
    if (account !== undefined) {
      for (const path of [draft, passwordFile, data]) await chown(path, account.uid, account.gid);
    }
    await runInitdb(options, { data, passwordFile });
    await rename(data, clusterFolder);
    if (options.isDurable) await syncFolder(base);
  } catch (error) {
    // Another server that starts at the same time may have created it first, with the same password.
    if (!(await exists(clusterFolder))) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runInitdb(
  { folder: { base, logPath, account }, native, isDurable }: ClusterOptions,
  { data, passwordFile }: { data: string; passwordFile: string },
): Promise<void> {
  const args = [`--pgdata=${data}`, `--username=${databaseUser}`, `--pwfile=${passwordFile}`];
  args.push(...initdbArguments.split(' '), isDurable ? '--sync-method=fsync' : '--no-sync');
  const process = { cwd: base, env: minimalEnvironment, timeout: initdbTimeoutMs, ...account };
  try {
    await promisify(execFile)(programPath(native, 'initdb'), args, process);
  } catch (error) {
    const { message, stderr = '' } = error as Error & { readonly stderr?: string };
    await appendFile(logPath, `initdb: ${message}\n${stderr}\n`, { mode: 0o600 });
    throw new StartProblem(
      `the database could not be created: ${findErrorLine(stderr) ?? message} (log: ${logPath})`,
      { cause: error },
    );
  }
}
