// The check of the data folder by the doctor, for an account without special rights.

import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isRoot, requireUnprivilegedAccount } from '../../server/src/embedded/data-folder.ts';
import { opentill } from './program-process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opentill-test-'));
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

/** The result of the doctor for the data folder, and its exit code. */
async function examined(env: Readonly<Record<string, string>>) {
  const runAs = isRoot() ? await requireUnprivilegedAccount() : undefined;
  const { code, stdout } = await opentill(['doctor', '--json', '--port=0', '--operator-port=0'], {
    env,
    runAs,
  });
  const results: { name: string }[] = JSON.parse(stdout);
  return { code, ...results.find(({ name }) => name === 'data folder') };
}

test('doctor rejects a data folder that cannot be created', async () => {
  const closed = join(folder, 'closed');
  await mkdir(closed);
  await chmod(closed, 0o555);
  for (const dataFolder of [join(closed, 'data'), join(closed, 'deep', 'data')]) {
    expect(await examined({ OPENTILL_DATA_DIR: dataFolder })).toEqual({
      code: 1,
      name: 'data folder',
      verdict: 'failed',
      detail: `The data folder ${dataFolder} cannot be created: EACCES: permission denied, access '${closed}'. Let this account write there, or set OPENTILL_DATA_DIR to another folder.`,
    });
  }
});

test('doctor reports a data folder that is a file, and continues with the other checks', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '', { mode: 0o755 });
  const { code, stdout, stderr } = await opentill(['doctor', '--data-dir', file]);
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toMatch(/^failed {2}data folder {2}The data folder .*file is not a folder\.$/m);
  expect(stdout).toMatch(/^failed {2}database {2}.*file.*$/m);
  expect(stdout).toContain('payment gateway');
});
