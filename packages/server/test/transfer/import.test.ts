// What an import does with lines that are of no use, with rows that are there, and when it ends early.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lineBytesMax } from '../../src/cli/text-lines.ts';
import { StartProblem } from '../../src/runtime/start-problem.ts';
import { query } from '../embedded/scratch.ts';
import { freshDatabase, type TestDatabase } from '../harness.ts';
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
import { exported, imported } from './transfer.ts';

const time = 1_790_000_000_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

let apps = 0;
/** An app of its own for each test, with two products: three lines. */
function nextApp(): { readonly packageName: string; readonly basis: readonly Line[] } {
  apps += 1;
  const packageName = `com.example.import${apps}`;
  const monthly = productLine(packageName, 'monthly', { type: 'subscription' });
  return { packageName, basis: [appLine(packageName, apps), productLine(packageName, 'coins'), monthly] };
}

const importInto = (text: string | Buffer) => imported(database.connection, text);

async function valuesOf(sql: string): Promise<unknown[]> {
  return (await query(database.connection, sql)).map((row) => Object.values(row)[0]);
}

const purchasesOf = (packageName: string) =>
  valuesOf(`select purchase_id from purchase where package_name = '${packageName}' order by 1`);

/** Lines that are of no use, each with what is told of it, beside a good purchase p-1 with the order o-1. */
const broken = (packageName: string): readonly (readonly [string | Line, string | RegExp])[] => {
  const purchase = (more: object) => purchaseLine(packageName, 'p-2', more);
  return [
    ['{"kind":', 'expected an object of JSON'],
    ['[]', 'expected an object of JSON'],
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
    [purchase({ orderId: 'o-1' }), 'another row has a value of it that has to be unique'],
    [purchase({ voidedTime: time }), /^the database refuses it: .*check constraint/],
    [
      purchaseLine(packageName, 'p-1', { price: 1 }),
      /^is there already, and differs in price, orderId: |^is there already, and differs in orderId, price: /,
    ],
  ];
};

describe('a line that is of no use is told with its number, and the rest goes on', () => {
  test.each([
    ['few lines', 1],
    ['as many as are copied', 60],
  ])('among %s', async (_, between) => {
    const { packageName, basis } = nextApp();
    const cases = broken(packageName);
    const ids: string[] = ['p-1'];
    const lines: (string | Line)[] = [...basis, purchaseLine(packageName, 'p-1', { orderId: 'o-1' })];
    const expected: [number, string | RegExp][] = [];
    for (const [line, problem] of cases) {
      lines.push(line);
      // The header is the first line.
      expected.push([lines.length + 1, problem]);
      for (let count = 0; count < between; count += 1) {
        const id = `q-${lines.length}`;
        lines.push(purchaseLine(packageName, id));
        ids.push(id);
      }
    }
    const report = await importInto(exportText(lines));
    expect(report.problems).toEqual(
      expected.map(([number, problem]) =>
        typeof problem === 'string'
          ? `${number}: ${problem}`
          : expect.stringMatching(new RegExp(`^${number}: `)),
      ),
    );
    for (const [index, [, problem]] of expected.entries()) {
      expect(report.problems[index]?.replace(/^\d+: /, '')).toMatch(problem);
    }
    expect(report).toMatchObject({
      refused: cases.length,
      isWhole: true,
      imported: { purchase: ids.length },
    });
    expect(await purchasesOf(packageName)).toEqual(ids.sort());
  });

  test('a line after the last one among them', async () => {
    const { packageName, basis } = nextApp();
    const late = JSON.stringify(purchaseLine(packageName, 'p-1'));
    const report = await importInto(`${exportText(basis)}${late}\n`);
    expect(report.problems).toEqual(['6: stands after the last line']);
    expect(report.isWhole).toBe(false);
  });

  test('and blank lines count, but are nothing', async () => {
    const { packageName, basis } = nextApp();
    const lines = [...basis, 'x', purchaseLine(packageName, 'p-1')];
    const report = await importInto(exportText(lines).replaceAll('\n', '\r\n\r\n'));
    expect(report).toMatchObject({ problems: ['9: expected an object of JSON'], isWhole: true });
  });
});

/** A text in two pieces, and what happens between them. */
async function* inTwo(
  text: string,
  { after, happens }: { readonly after: number; readonly happens: () => unknown },
): AsyncGenerator<Buffer> {
  yield Buffer.from(text.slice(0, after));
  await happens();
  yield Buffer.from(text.slice(after));
}

const endConnections = () =>
  query(
    database.connection,
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );

describe('an import that is repeated', () => {
  const rowVersions = () => valuesOf(`select xmin || ':' || ctid from purchase order by 1`);

  test('recognises what is there and writes nothing', async () => {
    const { packageName, basis } = nextApp();
    const purchases = Array.from({ length: 120 }, (_, index) => purchaseLine(packageName, `p-${index}`));
    const text = exportText([...basis, ...purchases]);
    expect((await importInto(text)).imported).toEqual({ app: 1, product: 2, purchase: 120 });
    const before = await rowVersions();
    const again = await importInto(text);
    expect(again).toMatchObject({
      imported: {},
      present: { app: 1, product: 2, purchase: 120 },
      problems: [],
    });
    expect(await rowVersions()).toEqual(before);
  });

  test('goes on where one was broken off, also by the end of its connection', async () => {
    const { packageName, basis } = nextApp();
    const purchases = Array.from({ length: 12_000 }, (_, index) => purchaseLine(packageName, `p-${index}`));
    const text = exportText([...basis, ...purchases]);
    const stop = new AbortController();
    const happens = () => stop.abort(new Error('Ctrl-C'));
    // By then one batch of 5,000 lines is full, and the other half of the text has another.
    const halfRead = inTwo(text, { after: text.length / 2, happens });
    const stopped = imported(database.connection, '', { input: halfRead, signal: stop.signal });
    await expect(stopped).rejects.toThrow('Ctrl-C');
    const first = (await purchasesOf(packageName)).length;
    expect(first).toBeGreaterThan(4_900);
    expect(first).toBeLessThan(12_000);
    const cutOff = imported(database.connection, '', {
      input: inTwo(text, { after: 1_500_000, happens: endConnections }),
    });
    await expect(cutOff).rejects.toMatchObject({ name: 'DatabaseUnavailable' });
    const report = await importInto(text);
    expect(report.problems).toEqual([]);
    expect((report.imported['purchase'] ?? 0) + (report.present['purchase'] ?? 0)).toBe(12_000);
    expect(report.present['purchase']).toBeGreaterThanOrEqual(first);
    expect((await purchasesOf(packageName)).length).toBe(12_000);
  });
});

describe('what is there already', () => {
  test('is never changed: a line that says otherwise is told, with the fields in which it differs', async () => {
    const { packageName, basis } = nextApp();
    const lines = [...basis, purchaseLine(packageName, 'p-1')];
    await importInto(exportText(lines));
    const before = await exported(database.connection, [packageName]);
    const changed = [
      appLine(packageName, apps, { name: 'New', tokenGeneration: 3, eventOrder: 9 }),
      productLine(packageName, 'coins', { price: 1, title: 'Coins' }),
      purchaseLine(packageName, 'p-1', { consumedTime: time }),
    ];
    const report = await importInto(exportText(changed));
    const told = (number: number, fields: string) =>
      `${number}: is there already, and differs in ${fields}: it stays as it is`;
    expect(report.problems).toEqual([told(2, 'name'), told(3, 'title, price'), told(4, 'consumedTime')]);
    expect(await exported(database.connection, [packageName])).toBe(before);
  });

  test('keeps an app out whose client id or number it has', async () => {
    const { packageName, basis } = nextApp();
    await importInto(exportText(basis));
    const lines = [
      appLine('com.other.number', apps),
      appLine('com.other.client', 1_000_000, { clientId: packageName }),
      productLine('com.other.client', 'coins'),
    ];
    const taken = 'another row has a value of it that has to be unique';
    expect((await importInto(exportText(lines))).problems).toEqual([
      `2: ${taken}`,
      `3: ${taken}`,
      '4: packageName: there is no app com.other.client',
    ]);
  });
});

test('no counter of an app is behind the rows that were imported', async () => {
  const { packageName, basis } = nextApp();
  const voided = { voidedTime: time + 5, voidOrder: 12, voidReason: '1' };
  const lines = [
    ...basis,
    purchaseLine(packageName, 'p-1', voided),
    eventLine(packageName, 34, 'p-1'),
    {
      kind: 'change',
      packageName,
      changeOrder: 7,
      operationId: 'updateApp',
      detail: '',
      madeBy: 'a',
      madeAt: time,
      requestId: 'r',
    },
  ];
  expect((await importInto(exportText(lines))).problems).toEqual([]);
  const [counters] = await query(
    database.connection,
    `select event_order, void_order, last_voided_time, change_order from app_counter where package_name = '${packageName}'`,
  );
  expect(counters).toEqual({
    event_order: '34',
    void_order: '12',
    last_voided_time: String(time + 5),
    change_order: '7',
  });
});

describe('what is no export for this database changes nothing:', () => {
  const countApps = () => valuesOf('select count(*)::integer from app');
  test.each<[string, string, string]>([
    ['nothing', '', 'There is nothing to import'],
    ['another file', 'hello\n', 'This is no export of OpenTill'],
    [
      'lines without their first one',
      `${JSON.stringify(appLine('com.a', 1))}\n`,
      'This is no export of OpenTill',
    ],
    ['a newer format', exportText([], { ...header, format: 2 }), 'made by a newer OpenTill'],
    [
      'one of another environment',
      exportText([appLine('com.a', 77)], { ...header, environment: 'production' }),
      'say --from-environment production if that is meant',
    ],
  ])('%s', async (_, text, problem) => {
    const before = await countApps();
    const refused = importInto(text);
    await expect(refused).rejects.toThrow(problem);
    await expect(refused).rejects.toBeInstanceOf(StartProblem);
    expect(await countApps()).toEqual(before);
  });

  test('one for production, into a database of the sandbox', async () => {
    const production = { environment: 'production', fromEnvironment: 'production' } as const;
    const text = exportText([], { ...header, environment: 'production' });
    await expect(imported(database.connection, text, production)).rejects.toThrow(
      'This database belongs to the sandbox environment',
    );
  });
});

test('an export that was cut off is imported as far as it goes, and told', async () => {
  const { packageName, basis } = nextApp();
  const text = exportText([...basis, purchaseLine(packageName, 'p-1')]);
  const cut = text.slice(0, text.indexOf('{"kind":"end"'));
  expect(await importInto(cut)).toMatchObject({ isWhole: false, imported: { purchase: 1 } });
  const lessOne = text.replace(/.*"purchaseId":"p-1".*\n/, '');
  expect(await importInto(lessOne)).toMatchObject({ isWhole: false, present: { app: 1, product: 2 } });
  expect(await importInto(text)).toMatchObject({ isWhole: true });
});
