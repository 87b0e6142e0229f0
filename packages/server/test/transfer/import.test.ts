// Imports with invalid lines and existing rows; each changes all or nothing.

import { describe, expect, test } from 'vitest';
import { lineBytesMax } from '../../src/operations/transfer/text-lines.ts';
import { query } from '../embedded/scratch.ts';
import { freshDatabase, useForFile } from '../harness.ts';
import { isCluster } from '../test-databases.ts';
import {
  appLine,
  eventLine,
  exportText,
  header,
  type Line,
  monthLine,
  productLine,
  purchaseLine,
} from './lines.ts';
import { exported, imported, refusal } from './transfer.ts';

const time = 1_790_000_000_000;

const database = await useForFile(freshDatabase());
await imported(database.connection, exportText([]));

let apps = 0;
/** A new app with two products: three lines. */
function nextApp(): { readonly packageName: string; readonly basis: readonly Line[] } {
  apps += 1;
  const packageName = `com.example.import${apps}`;
  const monthly = productLine(packageName, 'monthly', { type: 'subscription' });
  return { packageName, basis: [appLine(packageName, apps), productLine(packageName, 'coins'), monthly] };
}

const importInto = (text: string | Buffer) => imported(database.connection, text);
const refusalOf = (text: string | Buffer) => refusal(database.connection, text);

async function valuesOf(sql: string): Promise<unknown[]> {
  return (await query(database.connection, sql)).map((row) => Object.values(row)[0]);
}

test('an import of 10,000 purchases leaves the statistics with which PostgreSQL plans', async () => {
  const { packageName, basis } = nextApp();
  const purchases = Array.from({ length: 10_000 }, (_, index) => purchaseLine(packageName, `p-${index}`));
  await importInto(exportText([...basis, ...purchases]));
  const rowsOf = (table: string) =>
    `select reltuples::integer from pg_class where oid = '${table}'::regclass`;
  const [rows] = await valuesOf(
    isCluster
      ? `select sum(result::integer)::integer from run_command_on_shards('purchase', $$${rowsOf('%s')}$$)`
      : rowsOf('purchase'),
  );
  expect(rows).toBeGreaterThanOrEqual(10_000);
});

const packageName = 'com.example.bad';
const purchase = (more: object) => purchaseLine(packageName, 'p-2', more);

/** Invalid lines with their problems, after a valid purchase p-1 with the order o-1. */
const badLines: readonly (readonly [string | Line, string | RegExp])[] = [
  ['{"kind":', 'expected a JSON object'],
  ['[]', 'expected a JSON object'],
  [{ kind: 'order' }, /^kind: expected one of app, product, subscription, purchase, /],
  [purchase({ colour: 'red' }), 'unknown: colour'],
  [purchase({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1 }), 'unknown: a, b, c, d, e, f, g, h'],
  [
    { kind: 'product', packageName, productId: 'sword' },
    'missing: type, price, currency, createdAt, updatedAt',
  ],
  [purchase({ purchaseId: 2 }), 'purchaseId: must be string'],
  [purchase({ voidReason: '2' }), 'voidReason: expected "0" or "1"'],
  [purchase({ purchaseTime: 999_999_999_999 }), 'purchaseTime: must be >= 1000000000000'],
  [purchase({ buyerId: 'a\0b' }), /^buyerId: must match pattern/],
  [purchase({ buyerId: '\ud800' }), /^buyerId: must match pattern/],
  ['x'.repeat(lineBytesMax + 1), `longer than ${lineBytesMax} bytes`],
  [purchase({ packageName: 'com.none' }), 'packageName: there is no app com.none'],
  [purchase({ productId: 'none' }), 'productId: there is no product none'],
  [monthLine(packageName, 's-1'), 'firstPurchaseId: there is no subscription s-1'],
  [eventLine(packageName, 1, 'p-2'), 'purchaseId: there is no purchase p-2'],
  [purchase({ orderId: 'o-1' }), 'another row has one of its unique values'],
  [purchase({ voidedTime: time }), /^the database rejects it: .*check constraint/],
  [appLine('com.example.number', 1_000), 'another row has one of its unique values'],
  [
    appLine('com.example.client', 1_001, { clientId: packageName }),
    'another row has one of its unique values',
  ],
];

/** Imports `bad` after `basis`, with enough valid lines to fill a batch. */
function textWith(basis: readonly Line[], bad: readonly (string | Line)[]): string {
  const good = Array.from({ length: 2_500 }, (_, index) => purchaseLine(packageName, `q-${index}`));
  return exportText([...basis, ...good.slice(0, 2_100), ...bad, ...good.slice(2_100)]);
}

describe('bad lines', () => {
  const basis = [
    appLine(packageName, 1_000),
    productLine(packageName, 'coins'),
    productLine(packageName, 'monthly', { type: 'subscription' }),
    purchaseLine(packageName, 'p-1', { orderId: 'o-1' }),
  ];
  // The header is the first line.
  const badLine = basis.length + 2_100 + 2;

  test.each(badLines.map(([line, problem], index) => [index, problem, line] as const))(
    'a bad line (case %i) rejects the whole import and is reported as: %s',
    async (_, problem, line) => {
      const before = await exported(database.connection);
      const message = await refusalOf(textWith(basis, [line]));
      const shown = message.replace(`Nothing was imported. Line ${badLine}: `, '');
      if (typeof problem === 'string') expect(shown).toBe(problem);
      else expect(shown).toMatch(problem);
      expect(await exported(database.connection)).toBe(before);
    },
  );

  test('the first of several bad lines is reported', async () => {
    const bad = badLines.map(([line]) => line);
    for (const order of [bad, bad.toReversed()]) {
      expect(await refusalOf(textWith(basis, order))).toContain(`Nothing was imported. Line ${badLine}: `);
    }
  });

  test('a line after the last one rejects the import', async () => {
    const late = JSON.stringify(purchaseLine(packageName, 'p-2'));
    expect(await refusalOf(`${exportText(basis)}${late}\n`)).toBe(
      'Nothing was imported. Line 7: follows the last line of the export',
    );
  });

  test('empty lines count in the reported line number', async () => {
    const text = exportText([...basis, 'x']).replaceAll('\n', '\r\n\r\n');
    expect(await refusalOf(text)).toBe('Nothing was imported. Line 11: expected a JSON object');
  });
});

describe('interrupted imports', () => {
  /** A text in two pieces, with an action between them. */
  async function* inTwo(text: string, happens: () => unknown): AsyncGenerator<Buffer> {
    const middle = text.length / 2;
    yield Buffer.from(text.slice(0, middle));
    await happens();
    yield Buffer.from(text.slice(middle));
  }

  const bigImport = () => {
    const { packageName: ofApp, basis } = nextApp();
    const purchases = Array.from({ length: 12_000 }, (_, index) => purchaseLine(ofApp, `p-${index}`));
    return exportText([...basis, ...purchases]);
  };

  test('an aborted import writes nothing', async () => {
    const before = await exported(database.connection);
    const stop = new AbortController();
    const input = inTwo(bigImport(), () => stop.abort(new Error('Ctrl-C')));
    await expect(imported(database.connection, '', { input, signal: stop.signal })).rejects.toThrow('Ctrl-C');
    expect(await exported(database.connection)).toBe(before);
  });

  test('an import whose connection is lost writes nothing and can be repeated', async () => {
    const before = await exported(database.connection);
    const endConnections = () =>
      query(
        database.connection,
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
    const text = bigImport();
    await expect(
      imported(database.connection, '', { input: inTwo(text, endConnections) }),
    ).rejects.toMatchObject({ name: 'DatabaseUnavailable' });
    expect(await exported(database.connection)).toBe(before);
    expect((await importInto(text)).imported).toEqual({ app: 1, product: 2, purchase: 12_000 });
  });

  test('an import of an export that is truncated or lacks a line writes nothing', async () => {
    const { packageName: ofApp, basis } = nextApp();
    const text = exportText([...basis, purchaseLine(ofApp, 'p-1')]);
    const before = await exported(database.connection);
    for (const part of [text.slice(0, text.indexOf('{"kind":"end"')), text.replace(/.*"p-1".*\n/, '')]) {
      expect(await refusalOf(part)).toBe(
        'Nothing was imported: the export was cut off, or lines are missing from it.',
      );
    }
    expect(await exported(database.connection)).toBe(before);
  });
});

describe('existing rows', () => {
  const rowVersions = async () =>
    Promise.all(
      ['app', 'app_counter', 'product', 'purchase'].map((table) =>
        valuesOf(`select xmin || ':' || ctid from ${table} where package_name <> '' order by 1`),
      ),
    );

  test('existing rows are skipped and counted, so that a repeated import writes nothing', async () => {
    const { packageName: ofApp, basis } = nextApp();
    const purchases = Array.from({ length: 120 }, (_, index) => purchaseLine(ofApp, `p-${index}`));
    const text = exportText([...basis, ...purchases]);
    const counts = { app: 1, product: 2, purchase: 120 };
    expect((await importInto(text)).imported).toEqual(counts);
    const before = await rowVersions();
    expect(await importInto(text)).toEqual({ imported: {}, present: counts, different: {}, leftOut: 0 });
    expect(await rowVersions()).toEqual(before);
  });

  test('existing rows with different content are counted separately and stay unchanged', async () => {
    const { packageName: ofApp, basis } = nextApp();
    await importInto(exportText([...basis, purchaseLine(ofApp, 'p-1')]));
    const before = await rowVersions();
    const changed = [
      appLine(ofApp, apps, { name: 'New', tokenGeneration: 3, eventOrder: 9 }),
      productLine(ofApp, 'coins', { price: 1, title: 'Coins' }),
      productLine(ofApp, 'monthly', { type: 'subscription' }),
      purchaseLine(ofApp, 'p-1', { consumedTime: time }),
    ];
    expect(await importInto(exportText(changed))).toEqual({
      imported: {},
      present: { product: 1 },
      different: { app: 1, product: 1, purchase: 1 },
      leftOut: 0,
    });
    expect(await rowVersions()).toEqual(before);
  });
});

test('the counters of an app are raised to the imported orders', async () => {
  const { packageName: ofApp, basis } = nextApp();
  const voided = { voidedTime: time + 5, voidOrder: 12, voidReason: '1' };
  await importInto(exportText([...basis, purchaseLine(ofApp, 'p-1', voided), eventLine(ofApp, 34, 'p-1')]));
  const [counters] = await query(
    database.connection,
    `select event_order, void_order, last_voided_time from app_counter where package_name = '${ofApp}'`,
  );
  expect(counters).toEqual({
    event_order: '34',
    void_order: '12',
    last_voided_time: String(time + 5),
  });
});

describe('files that are not an export for this database', () => {
  test.each<[string, string, string]>([
    ['an empty one', '', 'There is nothing to import'],
    ['another file', 'hello\n', 'This is not an OpenTill export'],
    [
      'lines without the first one',
      `${JSON.stringify(appLine('com.a', 1))}\n`,
      'This is not an OpenTill export',
    ],
    ['a newer format', exportText([], { ...header, format: 9 }), 'import it with a newer OpenTill'],
    [
      'one of another environment',
      exportText([appLine('com.a', 77)], { ...header, environment: 'production' }),
      'use --from-environment production to import it',
    ],
  ])('importing %s is rejected and changes nothing', async (_, text, problem) => {
    const before = await exported(database.connection);
    expect(await refusalOf(text)).toContain(problem);
    expect(await exported(database.connection)).toBe(before);
  });

  test('an export of production is rejected by a sandbox database', async () => {
    const production = { environment: 'production', fromEnvironment: 'production' } as const;
    const text = exportText([], { ...header, environment: 'production' });
    expect(await refusal(database.connection, text, production)).toContain(
      'This database belongs to the sandbox environment',
    );
  });
});
