// The target of an export: a file that only its owner can read, whatever exists at its path, or standard output.

import { execFile } from 'node:child_process';
import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { databaseUrlOf } from '../../../test/support/database-url.ts';
import { freshDatabase, startTestServer, type TestDatabase } from '../../../test/support/harness.ts';
import { type Ended, opentill } from '../../../test/support/start/program-process.ts';

const ownerOnly = 0o600;
const openToAll = 0o644;
const done: Ended = { code: 0, stdout: '', stderr: '' };

let database: TestDatabase;
let folder: string;
let file: string;
beforeAll(async () => {
  database = await freshDatabase();
  // A server creates the installation, without which there is nothing to export.
  await using _made = await startTestServer({ database });
});
afterAll(() => database[Symbol.asyncDispose]());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opentill-test-'));
  file = join(folder, 'out.ndjson');
  return () => rm(folder, { recursive: true });
});

const exportTo = (...args: string[]): Promise<Ended> =>
  opentill(['export', '--output', ...args], { env: { DATABASE_URL: databaseUrlOf(database.connection) } });

async function expectWhole(path: string): Promise<void> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  expect([lines[0], lines.at(-1)]).toEqual([
    expect.stringContaining('"kind":"opentill"'),
    `{"kind":"end","lines":${lines.length - 2}}`,
  ]);
  expect((await stat(path)).mode & 0o777).toBe(ownerOnly);
}

test('a file that other accounts can read is replaced by one that they cannot', async () => {
  await writeFile(file, 'old');
  await chmod(file, openToAll);
  expect(await exportTo(file)).toEqual(done);
  await expectWhole(file);
  expect(await readdir(folder)).toEqual(['out.ndjson']);
});

test('an output path that is not a regular file is rejected in one line and left unchanged', async () => {
  const [pipe, toPipe] = [join(folder, 'pipe'), join(folder, 'to-pipe')];
  await promisify(execFile)('mkfifo', [pipe]);
  await symlink('pipe', toPipe);
  for (const name of [pipe, toPipe, folder]) {
    const stderr = `--output: ${name} is not a regular file; omit --output to write to standard output.\n`;
    expect(await exportTo(name)).toEqual({ code: 1, stdout: '', stderr });
  }
  expect((await lstat(pipe)).isFIFO()).toBe(true);
  expect((await readdir(folder)).sort()).toEqual(['pipe', 'to-pipe']);
});

test('a failed export leaves an existing file unchanged and no temporary file', async () => {
  await writeFile(file, 'old');
  const { code, stderr } = await exportTo(file, '--app', 'com.none');
  expect([code, stderr]).toEqual([1, 'App not found: com.none.\n']);
  expect([await readdir(folder), await readFile(file, 'utf8')]).toEqual([['out.ndjson'], 'old']);
});
