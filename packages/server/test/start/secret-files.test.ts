// The secret files of a data folder: made once, whoever starts at the same time, and for their owner alone.

import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkDataFolder } from '../../src/cli/checks/machine.ts';
import { closeSecretFiles, secretFile } from '../../src/secret-files.ts';
import { makeScratch, type Scratch } from '../embedded/scratch.ts';
import { databaseEnv, freshDatabase, type TestDatabase } from '../harness.ts';
import { startOpentill } from './opentill-process.ts';

let scratch: Scratch;

beforeEach(async () => {
  scratch = await makeScratch();
});
afterEach(() => scratch[Symbol.asyncDispose]());

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe('a secret file', () => {
  test('made by many at once has the text of one of them, which all get, and nothing else is left', async () => {
    const makers = Array.from({ length: 50 }, (_, maker) =>
      secretFile(scratch.path, 'token.keys', () => `text of ${maker}`),
    );
    const texts = new Set(await Promise.all(makers));
    expect(texts.size).toBe(1);
    expect(await readFile(join(scratch.path, 'token.keys'), 'utf8')).toBe(`${[...texts][0]}\n`);
    expect(await readdir(scratch.path)).toEqual(['token.keys']);
    expect(await modeOf(join(scratch.path, 'token.keys'))).toBe(0o600);
  });

  test('that is there and empty is one clear line', async () => {
    await writeFile(join(scratch.path, 'token.keys'), '');
    await expect(secretFile(scratch.path, 'token.keys', () => 'text')).rejects.toThrow(
      /^The file .*token\.keys is empty: put its text back, or remove the file for a new one\.$/,
    );
  });

  test('that others may read or write is closed to them, and the others are left as they are', async () => {
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

  test('that others may read is warned of by the check of the data folder, as an open folder is', async () => {
    const check = () =>
      checkDataFolder({ environment: 'sandbox', databaseUrl: undefined, dataFolder: scratch.path });
    const path = join(scratch.path, 'operator.key');
    await writeFile(path, 'text', { mode: 0o600 });
    expect(await check()).toMatchObject({ verdict: 'ok' });
    await chmod(scratch.path, 0o701);
    expect(await check()).toMatchObject({ verdict: 'warning', detail: expect.stringContaining('0700') });
    await chmod(path, 0o640);
    expect(await check()).toMatchObject({
      verdict: 'warning',
      detail: `other accounts can read operator.key in ${scratch.path}: set the mode 0600`,
    });
  });
});

test('of two first starts at one time one serves, and the other says in one line that it does', async () => {
  const env = { OPENTILL_DATA_DIR: scratch.dataFolder };
  await using first = startOpentill({ env });
  await using second = startOpentill({ env });
  const servers = [first, second];
  const [winner] = await Promise.any(servers.map(async (server) => [server, await server.ready()] as const));
  const loser = winner === first ? second : first;
  expect(await loser.ended()).toBe(1);
  expect(loser.output.stderr).toMatch(/^another OpenTill server is running on the data folder .*\n$/);
  winner.signal('SIGTERM');
  expect(await winner.ended()).toBe(0);
});

describe('a start closes what others could read, and the log names it', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(() => database[Symbol.asyncDispose]());

  test.for([
    ['beside the bundled PostgreSQL', 'operator.key', () => ({})],
    ['beside another one', 'demo-client.secret', () => databaseEnv(database.connection)],
  ] as const)('%s', async ([, name, ofDatabase]) => {
    await mkdir(scratch.dataFolder, { mode: 0o700 });
    const path = join(scratch.dataFolder, name);
    await writeFile(path, 'an-operator-key-of-the-store');
    await chmod(path, 0o644);
    await using server = startOpentill({ env: { OPENTILL_DATA_DIR: scratch.dataFolder, ...ofDatabase() } });
    await server.ready();
    expect(await modeOf(path)).toBe(0o600);
    const lines = server.output.stdout.split('\n').filter((line) => line.startsWith('{'));
    const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
    expect(warnings).toEqual([expect.objectContaining({ files: [name] })]);
    server.signal('SIGTERM');
    expect(await server.ended()).toBe(0);
  });
});
