// Problems that prevent a start: each is a StartProblem of one line, which the program prints before it exits with code 1.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { databaseUrlOf } from '../../../../test/support/database-url.ts';
import { makeScratch } from '../../../../test/support/embedded/scratch.ts';
import {
  createTestApp,
  freshDatabase,
  recordTestPurchase,
  startTestServer,
  testNow,
} from '../../../../test/support/harness.ts';
import { listenOnLoopback } from '../../../../test/support/loopback.ts';
import { query } from '../../../../test/support/query.ts';
import { type OpentillOptions, refusedStart } from '../../../../test/support/start/opentill-process.ts';
import {
  secondCertificate,
  testCertificate,
  writeTlsFiles,
} from '../../../../test/support/start/test-certificate.ts';
import { readConfig } from '../../src/config/config.ts';
import { checkDataFolder, checkTls } from '../../src/program/commands/checks.ts';
import { makeSecrets } from '../../src/program/server-secrets.ts';
import { requirePassed } from '../../src/runtime/start-problem.ts';
import { problemOf } from './problem-of.ts';

const tokenKey = Buffer.alloc(32, 7).toString('base64url');

/** Makes Node.js report a version that is too old. */
const falseVersion = `
  Object.defineProperty(process, 'version', { value: 'v20.0.0' });
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });
`;
const asOldVersion = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(falseVersion)}` };

describe('the program', () => {
  /** Runs a start that ends with these lines on standard error, and with the exit code 1. */
  async function expectRefused(options: OpentillOptions, ...lines: RegExp[]): Promise<void> {
    const { code, stdout, stderr } = await refusedStart(options);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd().split('\n')).toEqual(lines.map((line) => expect.stringMatching(line)));
  }

  test('a start with several invalid settings is refused with one line for each and the exit code 1', async () => {
    await expectRefused(
      { env: { OPENTILL_PORT: 'x', OPENTILL_ENVIRONMENT: 'test', OPENTILL_PORTS: '1' } },
      /^OPENTILL_PORTS is not a setting\. Did you mean OPENTILL_PORT\?$/,
      /^OPENTILL_ENVIRONMENT: expected one of/,
      /^OPENTILL_PORT: expected a whole number/,
    );
  });

  test('a start with a Node.js that is too old is refused with one line and the exit code 1', async () => {
    // Uses the machine's Node.js if it is too old, or else this one with a false version.
    const machine = '/usr/bin/node';
    const isTooOld =
      existsSync(machine) && Number(execFileSync(machine, ['-p', 'parseInt(process.versions.node)'])) < 24;
    const line = /^OpenTill needs Node\.js 24 or later, and this is v\d+\.\d+\.\d+: .*"npm start"/;
    const [node, env] = isTooOld ? [machine, {}] : [process.execPath, asOldVersion];
    await expectRefused({ env, node }, line);
  });
});

/** What a start with the bundled PostgreSQL does with its data folder before it starts PostgreSQL. */
async function useDataFolder(dataFolder: string): Promise<void> {
  const config = readConfig({ OPENTILL_DATA_DIR: dataFolder });
  requirePassed([await checkDataFolder(config)]);
  await makeSecrets(config);
}

describe('an unusable data folder', () => {
  test('a file in place of the data folder, or of its parent, is reported in one line that names it', async () => {
    await using scratch = await makeScratch();
    await writeFile(scratch.dataFolder, '');
    for (const dataFolder of [scratch.dataFolder, join(scratch.dataFolder, 'below')])
      expect(await problemOf(useDataFolder(dataFolder))).toContain(dataFolder);
  });

  test.each([
    ['token.keys', `1:${tokenKey.slice(1)}`, /^The file token\.keys in .*: key 1: expected /],
    ['operator.key', 'letmein', /^The file operator\.key in .*: expected at least 32 ASCII characters/],
  ])('an invalid %s is reported in one line that does not repeat it', async (name, text, line) => {
    await using scratch = await makeScratch();
    await mkdir(scratch.dataFolder);
    await writeFile(join(scratch.dataFolder, name), text, { mode: 0o600 });
    const problem = await problemOf(useDataFolder(scratch.dataFolder));
    expect(problem).toMatch(line);
    expect(problem).not.toContain(text);
  });
});

describe('an unusable database', () => {
  const startOn = (connection: ClientConfig, env: Record<string, string> = {}) =>
    startTestServer({ database: { connection }, env });

  test.each<[string, (right: string) => string, RegExp]>([
    [
      'an address where nothing listens',
      () => 'postgresql://opentill:hunter2@127.0.0.1:1/opentill',
      /^Cannot connect to the database: .*ECONNREFUSED/,
    ],
    [
      'a wrong password',
      (right) => right.replace(/:[^:@]+@/, ':hunter2@'),
      /^Cannot connect to the database: password authentication failed/,
    ],
  ])('%s is reported in one line without the password', async (_, url, line) => {
    const right = databaseUrlOf({ ...inject('postgres'), database: inject('migratedDatabase') });
    const problem = await problemOf(startOn({ connectionString: url(right) }));
    expect(problem).toMatch(line);
    expect(problem).not.toContain('hunter2');
    expect(problem).not.toContain(inject('postgres').password);
  });

  test.each([
    ['sandbox', 'production'],
    ['production', 'sandbox'],
  ])(
    'a database of the %s environment is refused in the %s environment, and not changed, including its schema',
    async (own, other) => {
      await using database = await freshDatabase();
      await (await startOn(database.connection, { OPENTILL_ENVIRONMENT: own })).stop();
      await query(database.connection, 'delete from schema_migration');
      expect(await problemOf(startOn(database.connection, { OPENTILL_ENVIRONMENT: other }))).toContain(
        `This database belongs to the ${own} environment, but OPENTILL_ENVIRONMENT is ${other}: `,
      );
      expect(await query(database.connection, 'select from schema_migration')).toEqual([]);
    },
  );

  test('a schema that a newer server marked as incompatible is reported in one line', async () => {
    await using database = await freshDatabase();
    await (await startOn(database.connection)).stop();
    await query(database.connection, 'update installation set oldest_compatible_schema = 999');
    expect(await problemOf(startOn(database.connection))).toMatch(
      /^The schema of this database needs a newer server: it requires version 999 or later, and this server has \d+\.$/,
    );
  });

  test('a database that a newer server has migrated compatibly is served, and not changed', async () => {
    await using database = await freshDatabase();
    await query(
      database.connection,
      `insert into schema_migration (name, hash) values ('9999_of_a_newer_server', '')`,
    );
    await query(database.connection, 'alter table purchase add column of_a_newer_server text');
    const names = () => query(database.connection, 'select name from schema_migration order by name');
    const before = await names();
    await using server = await startOn(database.connection);
    const app = await createTestApp(server);
    expect((await recordTestPurchase(server, app)).purchaseState).toBe(0);
    expect(await names()).toEqual(before);
  });
});

test.each(['OPENTILL_PORT', 'OPENTILL_OPERATOR_PORT'])(
  'a port in use is reported in one line that names %s, before anything is created',
  async (setting) => {
    await using other = await listenOnLoopback(createServer());
    await using scratch = await makeScratch();
    const env = { OPENTILL_DATA_DIR: scratch.dataFolder, [setting]: String(other.port) };
    expect(await refusedStart({ env })).toEqual({
      code: 1,
      stdout: '',
      stderr: `The port ${other.port} of 127.0.0.1 is in use: stop the program that uses it, or set ${setting} to another port.\n`,
    });
    expect(existsSync(scratch.dataFolder)).toBe(false);
  },
);

const { cert: goodCert, key: goodKey } = testCertificate;

test.each<[string, string | undefined, string]>([
  ['a certificate file that does not exist', undefined, goodKey],
  ['the key of another certificate', goodCert, secondCertificate.key],
])('%s is reported in one line', async (_, cert, key) => {
  await using scratch = await makeScratch();
  const result = await checkTls(readConfig(await writeTlsFiles(scratch.path, { cert, key })), testNow);
  expect(() => requirePassed([result])).toThrow(/^OPENTILL_TLS_CERT, OPENTILL_TLS_KEY: [^\n]+$/);
});
