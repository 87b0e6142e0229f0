// An unusable database: each command reports it in one line without a secret.

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { databaseUrlOf } from '../../server/test/database-url.ts';
import { query } from '../../server/test/embedded/scratch.ts';
import { type Ended, opentill } from './program-process.ts';

const commands = ['doctor --json', 'database status', 'database migrate', 'export'];

const databaseUrl = (): string =>
  databaseUrlOf({ ...inject('postgres'), database: inject('migratedDatabase') });

/** The message of a command about the database, checked to be one line without the secret. */
function said(command: string, { code, stdout, stderr }: Ended): string {
  expect(code).toBe(1);
  expect(stdout + stderr).not.toMatch(/^ {4}at /m);
  expect(stdout + stderr).not.toContain(inject('postgres').password);
  if (command !== 'doctor --json') {
    expect([stdout, stderr]).toEqual(['', expect.stringMatching(/^.*\n$/)]);
    return stderr.trimEnd();
  }
  const { name, verdict, detail } = JSON.parse(stdout).find(
    (result: { name: string }) => result.name === 'database',
  );
  expect([name, verdict]).toEqual(['database', 'failed']);
  return detail;
}

test.each<[string, (right: string) => string, Record<string, string>, RegExp]>([
  [
    'a missing password',
    (right) => right.replace(/:[^:@]+@/, '@'),
    {},
    /^Cannot connect to the database: SASL: /,
  ],
  [
    'TLS required by PGSSLMODE but not supported',
    (right) => right,
    { PGSSLMODE: 'require' },
    /^Cannot connect to the database: The server does not support SSL connections$/,
  ],
  [
    'TLS required by its URL but not supported',
    (right) => `${right}?sslmode=verify-full`,
    {},
    /^Cannot connect to the database: The server does not support SSL connections$/,
  ],
  [
    'a missing certificate file',
    (right) => `${right}?sslmode=verify-full&sslrootcert=/none.pem`,
    {},
    /^Cannot connect to the database: ENOENT: .*'\/none\.pem'$/,
  ],
  [
    'a parameter value that PostgreSQL rejects',
    (right) => `${right}?statement_timeout=abc`,
    {},
    /^Cannot connect to the database: invalid value for parameter "statement_timeout": .*$/,
  ],
])('opentill database status reports a database URL with %s in one line', async (_, urlOf, env, line) => {
  const ended = await opentill(['database', 'status'], {
    env: { DATABASE_URL: urlOf(databaseUrl()), ...env },
  });
  expect(said('database status', ended)).toMatch(line);
});

describe('a database without permissions for the account', () => {
  const [user, password] = [`test_${randomBytes(8).toString('hex')}`, 'stranger'];
  beforeAll(() => query(inject('postgres'), `create role ${user} login password '${password}'`));
  afterAll(() => query(inject('postgres'), `drop role ${user}`));

  test.each(commands)('opentill %s reports a database without permissions in one line', async (command) => {
    const strange = { ...inject('postgres'), database: inject('migratedDatabase'), user, password };
    const ended = await opentill(command.split(' '), { env: { DATABASE_URL: databaseUrlOf(strange) } });
    expect(said(command, ended)).toMatch(/^Cannot use the database: permission denied for table \w+$/);
  });
});

test('doctor reports a data folder that is a file, and continues with the other checks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-test-'));
  const file = join(folder, 'program');
  await writeFile(file, '', { mode: 0o755 });
  const { code, stdout, stderr } = await opentill(['doctor', '--data-dir', file]);
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toMatch(/^failed {2}data folder {2}The data folder .*program is not a folder\.$/m);
  expect(stdout).toMatch(/^failed {2}database {2}.*program.*$/m);
  expect(stdout).toContain('payment gateway');
  await rm(folder, { recursive: true });
});
