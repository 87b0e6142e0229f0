// What keeps the program from starting: one clear line on the error output, nothing else, and exit code 1.

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

/** The setting by which a Node.js begins with a module of this code. */
function beginsWith(code: string): { NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

/** Lets a Node.js pass for one that is too old. */
const asOldVersion = beginsWith(`
  Object.defineProperty(process, 'version', { value: 'v20.0.0' });
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });
`);

/** Sets the clock of its process a year ahead. */
const aYearAhead = beginsWith(`
  const now = Date.now;
  Date.now = () => now() + 31_536_000_000;
`);

/** Sets the clock of its process past the end of the test certificate. */
const afterCertificate = beginsWith(`
  Date.now = () => 4_950_000_000_000;
`);

/** A database with which nothing is wrong. */

const usable = await useForFile(freshDatabase());

function expectLines({ code, stdout, stderr }: Refusal, ...lines: RegExp[]): void {
  expect(code).toBe(1);
  // At most ordinary lines of the log, from before the problem was met.
  const logged = stdout.split('\n').filter((line) => line !== '');
  expect(logged.map((line) => JSON.parse(line).level)).toEqual(logged.map(() => 30));
  expect(stderr.trimEnd().split('\n')).toEqual(lines.map((line) => expect.stringMatching(line)));
  expect(stderr).not.toContain(tokenKey);
  expect(stderr).not.toContain(operatorKey);
}

/** A start on a database of the tests' PostgreSQL. */
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
  test('each of several invalid settings is one line, and the exit code is 1', async () => {
    const env = { OPENTILL_PORT: 'x', OPENTILL_ENVIRONMENT: 'test', OPENTILL_PORTS: '1' };
    expectLines(
      await refusedStart({ env }),
      /^OPENTILL_PORTS is not a setting\. The settings are: OPENTILL_ENVIRONMENT, .*, OPENTILL_LOG_LEVEL\.$/,
      /^OPENTILL_ENVIRONMENT: expected one of/,
      /^OPENTILL_PORT: expected a whole number/,
    );
  });

  test('an unknown argument is one line, and the exit code is 1', async () => {
    expectLines(await refusedStart({ env: {}, args: ['--port=1'] }), /^Unknown argument --port=1: /);
  });

  test('a demo in production is one line, and the exit code is 1', async () => {
    const env = { OPENTILL_DEMO: 'true', OPENTILL_ENVIRONMENT: 'production' };
    expectLines(await refusedStart({ env }), /^OPENTILL_DEMO: expected false in production\.$/);
  });

  test('a Node.js that is too old is one line, and the exit code is 1', async () => {
    // The one of the machine if that is too old, or else this one under the version of an old one.
    const machine = '/usr/bin/node';
    const isTooOld =
      existsSync(machine) && Number(execFileSync(machine, ['-p', 'parseInt(process.versions.node)'])) < 24;
    const refusal = await refusedStart(isTooOld ? { env: {}, node: machine } : { env: asOldVersion });
    expectLines(refusal, /^OpenTill needs Node\.js 24 or later, and this is v\d+\.\d+\.\d+: .*"npm start"/);
  });

  test("a clock a year ahead of the database's is one line, and the exit code is 1", async () => {
    const env = { ...withDatabase(usable), ...aYearAhead };
    expectLines(await refusedStart({ env }), /^The clock of this machine is 3153\d{4} seconds away from/);
  });
});

describe('an unusable data folder', () => {
  test('a file in place of the data folder is one line that names it', async () => {
    await using scratch = await makeScratch();
    await writeFile(scratch.dataFolder, '');
    expectLines(await refusedStart(inScratch(scratch)), new RegExp(scratch.dataFolder));
  });

  test('a file in place of a parent of the data folder is one line that names it', async () => {
    await using scratch = await makeScratch();
    await writeFile(scratch.dataFolder, '');
    const dataFolder = join(scratch.dataFolder, 'below');
    expectLines(await refusedStart(inScratch({ ...scratch, dataFolder })), new RegExp(dataFolder));
  });

  test('a data folder where folders cannot be created is one line that names it', async () => {
    const dataFolder = '/proc/none/data';
    const env = { OPENTILL_DATA_DIR: dataFolder };
    expectLines(
      await refusedStart({ env }),
      /^The data folder \/proc\/none\/data cannot be created: ENOENT: /,
    );
    const problem = 'no such file or directory (ENOENT)';
    await expect(startEmbeddedPostgres({ dataFolder })).rejects.toThrow(
      `the data folder ${dataFolder} cannot be used: ${problem}`,
    );
  });

  test('a data folder that cannot be read, or for root one with an invalid secret, is one line that names it', async () => {
    await using scratch = await makeScratch();
    await mkdir(join(scratch.dataFolder, 'operator.key'), { recursive: true });
    await chmod(scratch.dataFolder, 0o000);
    expectLines(await refusedStart(inScratch(scratch)), new RegExp(scratch.dataFolder));
    await chmod(scratch.dataFolder, 0o700);
  });

  test('truncated token keys are one line that does not repeat them', async () => {
    await using scratch = await makeScratch();
    await mkdir(scratch.dataFolder);
    await writeFile(join(scratch.dataFolder, 'token.keys'), `1:${tokenKey.slice(1)}`, { mode: 0o600 });
    const refusal = await refusedStart(inScratch(scratch));
    expectLines(refusal, /^The file token\.keys in .*: key 1: expected /);
    expect(refusal.stderr).not.toContain(tokenKey.slice(1));
  });

  test('an operator key that could be guessed is one line that does not repeat it', async () => {
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
      'nobody listens',
      () => 'postgresql://opentill:hunter2@127.0.0.1:1/opentill',
      /^The database cannot be connected to: .*ECONNREFUSED/,
    ],
    [
      'the host is unknown',
      () => 'postgresql://opentill:hunter2@host.invalid/opentill',
      /^The database cannot be connected to: /,
    ],
    [
      'the password is wrong',
      (right) => right.replace(/:[^:@]+@/, ':hunter2@'),
      /^The database cannot be connected to: password authentication failed/,
    ],
    [
      'there is no such database',
      (right) => right.replace(/[^/]+$/, 'no_such'),
      /^The database cannot be connected to: database "no_such" does not exist/,
    ],
    [
      'it names a file that is not there',
      (right) => `${right}?sslmode=verify-full&sslrootcert=/none.pem`,
      /^The database cannot be connected to: .*\/none\.pem/,
    ],
    [
      'the URL is none',
      () => 'postgresql://opentill:hunter2@localhost:port/opentill',
      /^DATABASE_URL: expected /,
    ],
  ])('an unusable database is one line without its password: %s', async (_, url, line) => {
    const env = withDatabase({ connection: { ...inject('postgres'), database: inject('migratedDatabase') } });
    const refusal = await refusedStart({ env: { ...env, DATABASE_URL: url(env['DATABASE_URL'] ?? '') } });
    expectLines(refusal, line);
    expect(refusal.stderr).not.toContain('hunter2');
    expect(refusal.stderr).not.toContain(inject('postgres').password);
  });

  test('a database of the other environment is one line, in both directions', async () => {
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
          `^This database belongs to the ${own} environment, and OPENTILL_ENVIRONMENT says ${other}: `,
        ),
      );
    }
  });

  test('a database of the other environment is left untouched, including its schema', async () => {
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

  test('a schema that a newer server marked as incompatible is one line', async () => {
    await using database = await freshDatabase();
    const made = await startTestServer({ database });
    await made.stop();
    await query(database.connection, 'update installation set oldest_compatible_schema = 999');
    expectLines(
      await refusedStart({ env: withDatabase(database) }),
      /^The schema of this database needs a newer server: it works with schema 999 and later, this server knows \d+\.$/,
    );
  });

  test('migrations of a newer server that are compatible do not prevent a start', async () => {
    await using database = await freshDatabase();
    await query(
      database.connection,
      `insert into schema_migration (name, run_on) values ('9999_from_the_future', now())`,
    );
    await using server = await startTestServer({ database });
    expect((await fetch(`${server.operatorUrl}/health/ready`)).status).toBe(200);
  });
});

describe('a port in use', () => {
  test.each(['OPENTILL_PORT', 'OPENTILL_OPERATOR_PORT'])(
    'a port in use is one line that names it: %s',
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
    ['a file that is not there', undefined, goodKey, invalid],
    ['a file that is no certificate', 'certificate', goodKey, invalid],
    ['a key that is none', goodCert, 'key', invalid],
    ['a key of another certificate', goodCert, otherKey, invalid],
    [
      'one that has expired',
      goodCert,
      goodKey,
      /^The TLS certificate expired on 2126-10-27\.$/,
      afterCertificate,
    ],
  ])('an unusable certificate is one line: %s', async (_, cert, key, line, clock = {}) => {
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
