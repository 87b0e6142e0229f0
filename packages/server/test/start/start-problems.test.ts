// Problems that prevent a start: each prints one line on standard error and exits with code 1.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { databaseUrlOf } from '../database-url.ts';
import { makeScratch, query, type Scratch } from '../embedded/scratch.ts';
import { freshDatabase, startTestServer, type TestDatabase, useForFile } from '../harness.ts';
import { type OpentillOptions, type Refusal, refusedStart } from './opentill-process.ts';
import { testCertificate } from './test-certificate.ts';

const operatorKey = 'an-operator-key-of-the-store-0123456789';
const tokenKey = Buffer.alloc(32, 7).toString('base64url');

/** A NODE_OPTIONS value that makes Node.js run this code first. */
function beginsWith(code: string): { NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

/** Makes Node.js report a version that is too old. */
const asOldVersion = beginsWith(`
  Object.defineProperty(process, 'version', { value: 'v20.0.0' });
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });
`);

/** Sets the clock of the process a year ahead. */
const aYearAhead = beginsWith(`
  const now = Date.now;
  Date.now = () => now() + 31_536_000_000;
`);

/** Sets the clock of the process after the end of the test certificate. */
const afterCertificate = beginsWith(`
  Date.now = () => 4_950_000_000_000;
`);

/** The URL of a usable database. */

const usable = await useForFile(freshDatabase());

function expectLines({ code, stdout, stderr }: Refusal, ...lines: RegExp[]): void {
  expect(code).toBe(1);
  // Standard output has at most ordinary log lines.
  const logged = stdout.split('\n').filter((line) => line !== '');
  expect(logged.map((line) => JSON.parse(line).level)).toEqual(logged.map(() => 30));
  expect(stderr.trimEnd().split('\n')).toEqual(lines.map((line) => expect.stringMatching(line)));
  expect(stderr).not.toContain(tokenKey);
  expect(stderr).not.toContain(operatorKey);
}

/** The settings of a start on a database of the tests' PostgreSQL. */
function withDatabase({ connection }: Pick<TestDatabase, 'connection'>): Record<string, string> {
  return {
    DATABASE_URL: databaseUrlOf(connection),
    OPENTILL_OPERATOR_KEY: operatorKey,
    OPENTILL_TOKEN_KEYS: `1:${tokenKey}`,
  };
}

const inScratch = ({ dataFolder }: Scratch, env: Record<string, string> = {}): OpentillOptions => ({
  env: { OPENTILL_DATA_DIR: dataFolder, ...env },
});

describe('arguments and settings', () => {
  test('a start with several invalid settings is refused with one line for each and the exit code 1', async () => {
    const env = { OPENTILL_PORT: 'x', OPENTILL_ENVIRONMENT: 'test', OPENTILL_PORTS: '1' };
    expectLines(
      await refusedStart({ env }),
      /^OPENTILL_PORTS is not a setting\. The settings are: OPENTILL_ENVIRONMENT, .*, OPENTILL_LOG_LEVEL\.$/,
      /^OPENTILL_ENVIRONMENT: expected one of/,
      /^OPENTILL_PORT: expected a whole number/,
    );
  });

  test('a start with an unknown argument is refused with one line and the exit code 1', async () => {
    expectLines(await refusedStart({ env: {}, args: ['--port=1'] }), /^Unknown argument --port=1: /);
  });

  test('a start with the demo in production is refused with one line and the exit code 1', async () => {
    const env = { OPENTILL_DEMO: 'true', OPENTILL_ENVIRONMENT: 'production' };
    expectLines(await refusedStart({ env }), /^OPENTILL_DEMO: expected false in production\.$/);
  });

  test('a start with a Node.js that is too old is refused with one line and the exit code 1', async () => {
    // Uses the machine's Node.js if it is too old, or else this one with a false version.
    const machine = '/usr/bin/node';
    const isTooOld =
      existsSync(machine) && Number(execFileSync(machine, ['-p', 'parseInt(process.versions.node)'])) < 24;
    const refusal = await refusedStart(isTooOld ? { env: {}, node: machine } : { env: asOldVersion });
    expectLines(refusal, /^OpenTill needs Node\.js 24 or later, and this is v\d+\.\d+\.\d+: .*"npm start"/);
  });

  test('a start with a clock a year ahead of the database is refused with one line and the exit code 1', async () => {
    const env = { ...withDatabase(usable), ...aYearAhead };
    expectLines(await refusedStart({ env }), /^The clock of this machine is 3153\d{4} seconds away from/);
  });
});

describe('an unusable data folder', () => {
  test('a start with a file in place of the data folder is refused with one line that names it', async () => {
    await using scratch = await makeScratch();
    await writeFile(scratch.dataFolder, '');
    expectLines(await refusedStart(inScratch(scratch)), new RegExp(scratch.dataFolder));
  });

  test('a start with a file in place of a parent of the data folder is refused with one line that names it', async () => {
    await using scratch = await makeScratch();
    await writeFile(scratch.dataFolder, '');
    const dataFolder = join(scratch.dataFolder, 'below');
    expectLines(await refusedStart(inScratch({ ...scratch, dataFolder })), new RegExp(dataFolder));
  });

  test('a start with a data folder that cannot be created is refused with one line that names it', async () => {
    const dataFolder = '/proc/none/data';
    const env = { OPENTILL_DATA_DIR: dataFolder };
    expectLines(
      await refusedStart({ env }),
      /^The data folder \/proc\/none\/data cannot be created: (?:ENOENT|EACCES): /,
    );
    const problem = 'no such file or directory (ENOENT)';
    await expect(startEmbeddedPostgres({ dataFolder })).rejects.toThrow(
      `the data folder ${dataFolder} cannot be used: ${problem}`,
    );
  });

  test('a start with an unreadable data folder, or for root an invalid secret in it, is refused with one line that names it', async () => {
    await using scratch = await makeScratch();
    await mkdir(join(scratch.dataFolder, 'operator.key'), { recursive: true });
    await chmod(scratch.dataFolder, 0o000);
    expectLines(await refusedStart(inScratch(scratch)), new RegExp(scratch.dataFolder));
    await chmod(scratch.dataFolder, 0o700);
  });

  test('a start with truncated token keys is refused with one line that does not repeat them', async () => {
    await using scratch = await makeScratch();
    await mkdir(scratch.dataFolder);
    await writeFile(join(scratch.dataFolder, 'token.keys'), `1:${tokenKey.slice(1)}`, { mode: 0o600 });
    const refusal = await refusedStart(inScratch(scratch));
    expectLines(refusal, /^The file token\.keys in .*: key 1: expected /);
    expect(refusal.stderr).not.toContain(tokenKey.slice(1));
  });

  test('a start with an operator key that is too short is refused with one line that does not repeat it', async () => {
    await using scratch = await makeScratch();
    await mkdir(scratch.dataFolder);
    await writeFile(join(scratch.dataFolder, 'operator.key'), 'letmein', { mode: 0o600 });
    const refusal = await refusedStart(inScratch(scratch));
    expectLines(refusal, /^The file operator\.key in .*: expected at least 32 ASCII characters/);
    expect(refusal.stderr).not.toContain('letmein');
  });
});

describe('an unusable database', () => {
  test.each<[string, (right: string) => string, RegExp]>([
    [
      'an address where nothing listens',
      () => 'postgresql://opentill:hunter2@127.0.0.1:1/opentill',
      /^Cannot connect to the database: .*ECONNREFUSED/,
    ],
    [
      'an unknown host',
      () => 'postgresql://opentill:hunter2@host.invalid/opentill?sslmode=verify-full',
      /^Cannot connect to the database: /,
    ],
    [
      'a wrong password',
      (right) => right.replace(/:[^:@]+@/, ':hunter2@'),
      /^Cannot connect to the database: password authentication failed/,
    ],
    [
      'a database that does not exist',
      (right) => right.replace(/[^/]+$/, 'no_such'),
      /^Cannot connect to the database: database "no_such" does not exist/,
    ],
    [
      'a certificate file that does not exist',
      (right) => `${right}?sslmode=verify-full&sslrootcert=/none.pem`,
      /^Cannot connect to the database: .*\/none\.pem/,
    ],
    [
      'an invalid URL',
      () => 'postgresql://opentill:hunter2@localhost:port/opentill',
      /^DATABASE_URL: expected /,
    ],
  ])(
    'a start with a DATABASE_URL of %s is refused with one line without its password',
    async (_, url, line) => {
      const env = withDatabase({
        connection: { ...inject('postgres'), database: inject('migratedDatabase') },
      });
      const refusal = await refusedStart({ env: { ...env, DATABASE_URL: url(env['DATABASE_URL'] ?? '') } });
      expectLines(refusal, line);
      expect(refusal.stderr).not.toContain('hunter2');
      expect(refusal.stderr).not.toContain(inject('postgres').password);
    },
  );

  test('a start on a database of the other environment is refused with one line, in both directions', async () => {
    for (const [own, other] of [
      ['sandbox', 'production'],
      ['production', 'sandbox'],
    ]) {
      await using database = await freshDatabase();
      await using _made = await startTestServer({ database, env: { OPENTILL_ENVIRONMENT: String(own) } });
      const env = { ...withDatabase(database), OPENTILL_ENVIRONMENT: String(other) };
      expectLines(
        await refusedStart({ env }),
        new RegExp(
          `^This database belongs to the ${own} environment, but OPENTILL_ENVIRONMENT is ${other}: `,
        ),
      );
    }
  });

  test('a refused start does not change a database of the other environment, including its schema', async () => {
    await using database = await freshDatabase();
    const made = await startTestServer({ database, env: { OPENTILL_ENVIRONMENT: 'production' } });
    await made.stop();
    await query(database.connection, 'delete from schema_migration');
    expectLines(
      await refusedStart({ env: withDatabase(database) }),
      /^This database belongs to the production /,
    );
    const migrated = await query(
      database.connection,
      'select count(*)::integer as migrations from schema_migration',
    );
    expect(migrated).toEqual([{ migrations: 0 }]);
  });

  test('a start on a schema that a newer server marked as incompatible is refused with one line', async () => {
    await using database = await freshDatabase();
    const made = await startTestServer({ database });
    await made.stop();
    await query(database.connection, 'update installation set oldest_compatible_schema = 999');
    expectLines(
      await refusedStart({ env: withDatabase(database) }),
      /^The schema of this database needs a newer server: it requires version 999 or later, and this server has \d+\.$/,
    );
  });

  test('compatible migrations of a newer server do not prevent a start', async () => {
    await using database = await freshDatabase();
    await query(database.connection, `insert into schema_migration (name) values ('9999_from_the_future')`);
    await using server = await startTestServer({ database });
    expect((await fetch(`${server.operatorUrl}/health/ready`)).status).toBe(200);
  });
});

describe('a port in use', () => {
  test.each(['OPENTILL_PORT', 'OPENTILL_OPERATOR_PORT'])(
    'a start with a port in use is refused with one line that names it: %s',
    async (setting) => {
      const other = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => other.once('listening', resolve));
      const { port } = other.address() as { port: number };
      try {
        const env = { ...withDatabase(usable), [setting]: String(port) };
        expectLines(
          await refusedStart({ env }),
          new RegExp(`^The port ${port} of 127\\.0\\.0\\.1 is in use: `),
        );
      } finally {
        other.close();
      }
    },
  );
});

describe('an unusable certificate', () => {
  const { cert: goodCert, key: goodKey, otherKey } = testCertificate;
  const invalid = /^OPENTILL_TLS_CERT, OPENTILL_TLS_KEY: /;
  test.each<[string, string | undefined, string, RegExp, Record<string, string>?]>([
    ['a certificate file that does not exist', undefined, goodKey, invalid],
    ['a certificate file that holds no certificate', 'certificate', goodKey, invalid],
    ['a key file that holds no key', goodCert, 'key', invalid],
    ['the key of another certificate', goodCert, otherKey, invalid],
    [
      'an expired certificate',
      goodCert,
      goodKey,
      /^The TLS certificate expired on 2126-10-27\.$/,
      afterCertificate,
    ],
  ])('a start with %s is refused with one line', async (_, cert, key, line, clock = {}) => {
    await using scratch = await makeScratch();
    const files = {
      OPENTILL_TLS_CERT: join(scratch.path, 'c.pem'),
      OPENTILL_TLS_KEY: join(scratch.path, 'k.pem'),
    };
    if (cert !== undefined) await writeFile(files.OPENTILL_TLS_CERT, cert);
    await writeFile(files.OPENTILL_TLS_KEY, key);
    expectLines(await refusedStart({ env: { ...withDatabase(usable), ...files, ...clock } }), line);
  });
});
