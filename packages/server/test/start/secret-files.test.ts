// The secret files of a data folder, which are created once and readable only for their owner.

import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeScratch, type Scratch } from '../../../../test/support/embedded/scratch.ts';
import { databaseEnv, freshDatabase } from '../../../../test/support/harness.ts';
import { startOpentill } from '../../../../test/support/start/opentill-process.ts';
import { closeSecretFiles, secretFile } from '../../src/config/secret-files.ts';

let scratch: Scratch;

beforeEach(async () => {
  scratch = await makeScratch();
});
afterEach(() => scratch[Symbol.asyncDispose]());

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe('secret files', () => {
  test('50 concurrent callers that create a secret file all get the same text, and no draft is left', async () => {
    const makers = Array.from({ length: 50 }, (_, maker) =>
      secretFile(scratch.path, 'token.keys', () => `text of ${maker}`),
    );
    const texts = new Set(await Promise.all(makers));
    expect(texts.size).toBe(1);
    expect(await readFile(join(scratch.path, 'token.keys'), 'utf8')).toBe(`${[...texts][0]}\n`);
    expect(await readdir(scratch.path)).toEqual(['token.keys']);
    expect(await modeOf(join(scratch.path, 'token.keys'))).toBe(0o600);
  });

  test('an empty secret file is reported in one clear line', async () => {
    await writeFile(join(scratch.path, 'token.keys'), '');
    await expect(secretFile(scratch.path, 'token.keys', () => 'text')).rejects.toThrow(
      /^The file .*token\.keys is empty: restore its text, or remove the file to get a new one\.$/,
    );
  });

  test('a secret file that other accounts can read or write is closed to them', async () => {
    const modes = { 'operator.key': 0o644, 'token.keys': 0o600, 'postgres.password': 0o620 };
    for (const [name, mode] of Object.entries(modes)) {
      await writeFile(join(scratch.path, name), 'text');
      await chmod(join(scratch.path, name), mode);
    }
    expect(await closeSecretFiles(scratch.path)).toEqual({
      closed: ['operator.key', 'postgres.password'],
      left: [],
    });
    for (const name of Object.keys(modes)) expect(await modeOf(join(scratch.path, name))).toBe(0o600);
    expect(await closeSecretFiles(scratch.path)).toEqual({ closed: [], left: [] });
  });
});

test('a start closes secret files that other accounts can read and logs their names', async () => {
  await using database = await freshDatabase();
  await mkdir(scratch.dataFolder, { mode: 0o700 });
  const path = join(scratch.dataFolder, 'demo-client.secret');
  await writeFile(path, 'a secret');
  await chmod(path, 0o644);
  const env = { OPENTILL_DATA_DIR: scratch.dataFolder, ...databaseEnv(database.connection) };
  await using server = startOpentill({ env });
  await server.ready();
  expect(await modeOf(path)).toBe(0o600);
  const lines = server.output.stdout.split('\n').filter((line) => line.startsWith('{'));
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
  expect(warnings).toEqual([expect.objectContaining({ files: ['demo-client.secret'] })]);
});
