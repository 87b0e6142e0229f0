// Output on a terminal: colors, and a progress bar for long work.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtProgram } from '../../server/test/built-programs.ts';
import { databaseUrlOf } from '../../server/test/database-url.ts';
import { freshDatabase, type TestDatabase } from '../../server/test/harness.ts';
import { appLine, exportText, productLine, purchaseLine } from '../../server/test/transfer/lines.ts';

const run = promisify(execFile);

let folder: string;
let database: TestDatabase;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opentill-test-'));
  database = await freshDatabase();
  env = { PATH: '/usr/bin:/bin', DATABASE_URL: databaseUrlOf(database.connection) };
  const purchases = Array.from({ length: 500 }, (_, index) => purchaseLine('com.a', `p-${index}`));
  await writeFile(
    join(folder, 'in.ndjson'),
    exportText([appLine('com.a', 1), productLine('com.a', 'coins'), ...purchases]),
  );
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Runs a shell command line on a separate terminal and returns everything that it prints. */
async function shown(line: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const terminal = ['--quiet', '--return', '--command', `"$NODE" "$PROGRAM" ${line}`, '/dev/null'];
  const { stdout } = await run('script', terminal, {
    cwd: folder,
    env: { ...env, NODE: process.execPath, PROGRAM: builtProgram('cli'), TERM: 'xterm', ...more },
  });
  return stdout;
}

const escapeCharacter = '\u001b';

test('colors are printed on a terminal without NO_COLOR, and nowhere else', async () => {
  const line = 'doctor --data-dir none --port 0 --operator-port 0';
  const own = { DATABASE_URL: '' };
  expect(await shown(line, own)).toContain(`${escapeCharacter}[32mok${escapeCharacter}[39m  Node.js`);
  expect(await shown(line, { ...own, NO_COLOR: '1' })).toMatch(/^ok {2}Node\.js {2}v[\d.]+\r\n/);
  expect(await shown(`${line} > written.txt`, own)).toBe('');
  expect(await readFile(join(folder, 'written.txt'), 'utf8')).toMatch(/^ok {2}Node\.js {2}v[\d.]+\n/);
});
