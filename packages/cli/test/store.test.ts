// The commands that open the database themselves, with the real program.

import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseUrlOf } from '../../../test/support/database-url.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../../../test/support/harness.ts';
import { query } from '../../../test/support/query.ts';
import {
  type Ended,
  opentill,
  opentillHere,
  type RunOptions,
} from '../../../test/support/start/program-process.ts';
import { isCluster } from '../../../test/support/test-databases.ts';
import { appLine, exportText, productLine, purchaseLine } from '../../../test/support/transfer/lines.ts';
import { waitFor } from '../../../test/support/wait-for.ts';

const purchases = 3_000;
const lines = [
  appLine('com.example.a', 1),
  productLine('com.example.a', 'coins'),
  ...Array.from({ length: purchases }, (_, index) => purchaseLine('com.example.a', `p-${index}`)),
];
const text = exportText(lines);

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opentill-test-'));
  database = await freshDatabase();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function on({ connection }: TestDatabase, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const run = options.during === undefined ? opentillHere : opentill;
  return run(args, { ...options, env: { ...options.env, DATABASE_URL: databaseUrlOf(connection) } });
}

test('import reports what it did or its first bad line; export returns the lines', async () => {
  const file = join(folder, 'in.ndjson');
  await writeFile(file, text.replace('"purchaseId":"p-7"', '"purchaseId":7'));
  const wrong = await on(database, ['import', file]);
  const problem = 'Nothing was imported. Line 11: purchaseId: must be string\n';
  expect(wrong).toEqual({ code: 1, stdout: '', stderr: problem });
  await writeFile(file, text);
  const first = await on(database, ['import', file]);
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(first.stdout).toMatch(/^imported +1 app, 1 product, 3,000 purchases\n$/);
  const again = await on(database, ['import'], { input: text });
  expect([again.code, again.stdout]).toEqual([1, '']);
  expect(again.stderr).toMatch(/^Nothing was imported\. Line 2: .* got com\.example\.a, which it has\n$/);
  const out = join(folder, 'out.ndjson');
  const ofApp = ['export', '--app', 'com.example.a'];
  expect(await on(database, [...ofApp, '--output', out])).toEqual({ code: 0, stdout: '', stderr: '' });
  const [exported, piped] = [await readFile(out, 'utf8'), await on(database, ofApp)];
  expect(piped).toEqual({ code: 0, stdout: exported, stderr: '' });
  expect(exported.split('\n').slice(1, -2).sort()).toEqual(lines.map((line) => JSON.stringify(line)).sort());
});

test('import --check prints each problem and their number, exits with 1 if there is one, and imports nothing', async () => {
  await using own = await freshDatabase();
  const check = (input: string) => on(own, ['import', '--check'], { input });
  const app = appLine('com.example.checked', 20);
  const sold = ['p-1', 'p-2'].map((id) => purchaseLine('com.example.checked', id, { productId: 'none' }));
  const wrong = exportText([app, 'x', ...sold.slice(0, 1)]);
  const place = 'The purchase p-1 of com.example.checked: productId';
  expect(await check(wrong)).toEqual({
    code: 1,
    stdout: `Line 3: expected a JSON object\n${place}: expected the id of a product of type oneTime, got none\nproblems  2\n`,
    stderr: '',
  });
  expect(await check(exportText([app]))).toEqual({ code: 0, stdout: 'problems  0\n', stderr: '' });
  const json = await on(own, ['import', '--check', '--json'], { input: exportText([app, ...sold]) });
  expect([json.code, JSON.parse(json.stdout)]).toEqual([
    1,
    { problemCount: 2, problems: [expect.stringContaining(place), expect.any(String)], overdue: 0 },
  ]);
  expect(await query(own.connection, 'select 1 from app')).toEqual([]);
});

test('import --check says what becomes of a subscription that was due long ago', async () => {
  const products = join(folder, 'overdue-products.csv');
  const subscriptions = join(folder, 'overdue.csv');
  await writeFile(products, 'productId,type,period,price,currency\nclub,subscription,P1M,990,EUR\n');
  await writeFile(
    subscriptions,
    'firstPurchaseId,productId,firstStartTime,expiryTime,autoRenewing\ns-1,club,2025-01-15 00:00:00Z,2025-02-15 00:00:00Z,true\n',
  );
  const line = ['import', '--check', '--csv', products, subscriptions, '--package', 'com.example.overdue'];
  for (const [OPENTILL_ENVIRONMENT, outcome] of [
    ['sandbox', 'charged here for each period since; production lets them expire'],
    ['production', 'expire here without a charge, which would be too late'],
  ] as const) {
    await using own = await emptyDatabase();
    const { stdout } = await on(own, line, { env: { OPENTILL_ENVIRONMENT, OPENTILL_TIME_ZONE: 'UTC' } });
    expect(stdout).toBe(`problems  0\noverdue   1 subscription: ${outcome}\n`);
  }
});

test('import --csv imports an app from CSV files, and names the file, line and column of a problem', async () => {
  await using own = await freshDatabase();
  const [products, sold] = [join(folder, 'products.csv'), join(folder, 'sold.csv')];
  await writeFile(products, 'productId,price,currency\ncoins,499,EUR\n');
  await writeFile(sold, 'purchaseId,productId,purchaseTime\np-1,coins,1790000000000\np-2,coins,26.1.2026\n');
  const of = ['import', '--csv', products, sold, '--package', 'com.example.csv'];
  const checked = await on(own, [...of, '--check']);
  expect(checked).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`${sold}, line 3: purchaseTime: `),
  });
  await writeFile(sold, 'purchaseId,productId,purchaseTime\np-1,coins,1790000000000\n');
  const done = await on(own, of);
  expect(done).toMatchObject({ code: 0, stdout: 'imported  1 app, 1 product, 1 purchase\n' });
  expect(done.stderr).toContain('opentill app rotate-secret');
  for (const wrong of [
    of.slice(0, 4),
    [...of, sold, '--json', 'in.ndjson'],
    ['import', '--package', 'com.a'],
  ]) {
    expect(await on(own, wrong)).toMatchObject({ code: 2, stdout: '' });
  }
});

test.each([
  ['Ctrl-C', 'SIGINT', 130],
  ['kill -9', 'SIGKILL', null],
] as const)('%s ends an import, which then has written nothing', async (_, signal, code) => {
  await using own = await freshDatabase();
  const writing =
    "select from pg_stat_activity where datname = current_database() and query like 'copy purchase %'";
  const isWriting = async () => (await query(own.connection, writing)).length > 0;
  const many = Array.from({ length: 6_000 }, (_unused, index) => purchaseLine('com.example.a', `p-${index}`));
  const whole = exportText([...lines.slice(0, 2), ...many]);
  const ended = on(own, ['import'], {
    async during(running) {
      running.stdin?.write(whole.replace(/\{"kind":"end".*\n/, ''));
      await waitFor(isWriting, { what: 'a batch' });
      running.kill(signal);
    },
  });
  expect(await ended).toEqual({ code, stdout: '', stderr: '' });
  const again = await on(own, ['import', '--json'], { input: whole });
  expect([again.code, again.stderr]).toEqual([0, '']);
  expect(JSON.parse(again.stdout)).toMatchObject({ imported: { app: 1, product: 1, purchase: 6_000 } });
});

test('in production no command but serve creates a bundled database, and doctor says which database it looked at', async () => {
  const data = join(folder, 'none');
  const env = { OPENTILL_ENVIRONMENT: 'production', OPENTILL_DATA_DIR: data };
  for (const command of ['import', 'import --check', 'database migrate', 'database status', 'export']) {
    expect(await opentillHere(command.split(' '), { env, input: text })).toEqual({
      code: 1,
      stdout: '',
      stderr: `There is no database in the data folder ${data}: use --data-dir or --database-url, or set OPENTILL_DATA_DIR or DATABASE_URL.\n`,
    });
  }
  const databaseOf = async (more: RunOptions['env']) => {
    const { stdout } = await opentillHere(['doctor', '--json'], { env: { ...env, ...more } });
    return JSON.parse(stdout).find(({ name }: { name: string }) => name === 'database');
  };
  expect(await databaseOf({})).toEqual({
    verdict: 'warning',
    name: 'database',
    detail: `none: DATABASE_URL is not set, and a start creates a bundled one in ${data}`,
  });
  expect(existsSync(data)).toBe(false);
  expect(await databaseOf({ DATABASE_URL: databaseUrlOf(database.connection) })).toMatchObject({
    verdict: 'ok',
    detail: expect.stringMatching(/^PostgreSQL \d.*, of DATABASE_URL, [^@]+\/\w+$/),
  });
});

test('an unreadable import file is reported in one line before anything is changed', async () => {
  const missing = await opentillHere(['import', join(folder, 'none.ndjson')]);
  expect([missing.code, missing.stdout]).toEqual([1, '']);
  expect(missing.stderr).toMatch(/^The file cannot be read: ENOENT.*\n$/);
  const isFolder = await opentillHere(['import', folder]);
  expect([isFolder.code, isFolder.stderr]).toEqual([1, `The file cannot be read: ${folder} is a folder.\n`]);
});

// The status of a cluster has more lines.
test.skipIf(isCluster)(
  'database migrate creates the schema once, and database status reports the migrations',
  async () => {
    await using empty = await emptyDatabase();
    const before = await on(empty, ['database', 'status', '--json']);
    expect(JSON.parse(before.stdout)).toMatchObject({ environment: null, migrations: [], newer: [] });
    const { missing } = JSON.parse(before.stdout) as { missing: string[] };
    expect(missing[0]).toBe('0001_baseline');
    const migrated = await on(empty, ['database', 'migrate', '--json']);
    expect(JSON.parse(migrated.stdout)).toEqual(missing.map((name) => ({ name })));
    expect(await on(empty, ['database', 'migrate'])).toEqual({ code: 0, stdout: '', stderr: 'None.\n' });
    const { code, stdout } = await on(empty, ['database', 'status']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^environment +sandbox\npostgresql +18\.\d+\nbytes +[\d,]+\nschema +\d{4}_\w+\nmissing +nothing\n$/,
    );
    const production = await on(empty, ['database', 'migrate', '--environment', 'production']);
    expect(production.code).toBe(1);
    expect(production.stderr).toMatch(/^This database belongs to the sandbox environment/);
  },
);
