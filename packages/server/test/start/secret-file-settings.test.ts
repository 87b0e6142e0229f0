// Secrets that are set as files, as secret stores of containers provide them.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { makeScratch } from '../embedded/scratch.ts';
import { databaseEnv, freshDatabase, operate } from '../harness.ts';
import { startOpentill } from './opentill-process.ts';
import { problemsOf } from './setting-problems.ts';

const gatewaySecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Each setting of `env` as a file, under the name of its file form. */
async function asFiles(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const entries = Object.entries(env).map(async ([name, value]) => {
    const path = join(folder, name);
    await writeFile(path, `${value}\n`, { mode: 0o600 });
    return [`${name}_FILE`, path] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

test('each setting with a secret can be set as a file', async () => {
  await using scratch = await makeScratch();
  const secrets = {
    DATABASE_URL: 'postgresql://till@localhost/till',
    OPENTILL_OPERATOR_KEY: 'an-operator-key-of-the-store-0123456789',
    OPENTILL_OPERATOR_KEYS: `checkout:record:${'xy'.repeat(16)}`,
    OPENTILL_TOKEN_KEYS: `1:${Buffer.alloc(32, 1).toString('base64url')}`,
    OPENTILL_PAYMENT_GATEWAY_SECRET: gatewaySecret,
  };
  const others = {
    OPENTILL_ENVIRONMENT: 'production',
    OPENTILL_PAYMENT_GATEWAY_URL: 'https://pay.store.example/charge',
  };
  const files = await asFiles(scratch.path, secrets);
  expect(readConfig({ ...others, ...files })).toEqual(readConfig({ ...others, ...secrets }));
});

test('a secret that is set twice, a file that cannot be read and an empty one are reported in one line each', async () => {
  await using scratch = await makeScratch();
  const empty = join(scratch.path, 'empty');
  await writeFile(empty, '\n');
  const missing = join(scratch.path, 'missing');
  const env = {
    ...(await asFiles(scratch.path, { OPENTILL_OPERATOR_KEY: 'xy'.repeat(16) })),
    OPENTILL_OPERATOR_KEY: 'xy'.repeat(16),
    OPENTILL_TOKEN_KEYS_FILE: missing,
    OPENTILL_OPERATOR_KEYS_FILE: empty,
  };
  expect(problemsOf(env)).toEqual([
    'OPENTILL_OPERATOR_KEY, OPENTILL_OPERATOR_KEY_FILE: expected one of them, got both.',
    `OPENTILL_OPERATOR_KEYS_FILE: the file ${empty} is empty.`,
    expect.stringMatching(/^OPENTILL_TOKEN_KEYS_FILE: ENOENT: .*missing'\.$/),
  ]);
});

test('a server starts with its secrets in files', async () => {
  await using scratch = await makeScratch();
  await using database = await freshDatabase();
  const env = await asFiles(scratch.path, databaseEnv(database.connection));
  await using server = startOpentill({ env });
  expect((await operate(await server.ready(), 'GET', '/apps')).status).toBe(200);
});
