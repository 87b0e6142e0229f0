// CSV files that cannot be imported: each problem is reported with its line and column.

import { describe, expect, test } from 'vitest';
import { freshDatabase, useForFile } from '../../../../test/support/harness.ts';
import { expectUnchangedStore } from '../../../../test/support/transfer/transfer.ts';
import { lineBytesMax } from '../../src/operations/transfer/import-source.ts';
import { type CsvRecord, csvRefusal, csvText, importedCsv, importTime } from './csv-files.ts';

const { connection } = await useForFile(freshDatabase());

expectUnchangedStore(connection);

const app = { packageName: 'com.example.checked' };
const products = 'productId,price,currency,type,period\ncoins,1200,KRW,,\nclub,9900,KRW,subscription,P1M\n';

/** The problems that a check of files finds. */
async function problemsOf(files: Readonly<Record<string, string | Buffer>>): Promise<readonly string[]> {
  const all = { 'products.csv': products, ...files };
  return (await importedCsv(connection, all, { ...app, isCheck: true })).problems;
}

type Wrong = readonly (readonly [CsvRecord, string | undefined])[];

/** The problems of the records of a file, whose first one is in a given line. */
function placed(file: string, wrong: Wrong, firstLine: number): string[] {
  return wrong.flatMap(([, problem], index) =>
    problem === undefined ? [] : `${file}, line ${index + firstLine}: ${problem}`,
  );
}

test('a check names the line and the column of each problem of a purchase', async () => {
  const row = (values: CsvRecord): CsvRecord => ({ productId: 'coins', purchaseTime: importTime, ...values });
  const gems = { productId: 'gems', price: 1, currency: 'KRW' };
  const wrong: Wrong = [
    [row({ purchaseId: 'p-1', orderId: 'o-1', developerPayload: 'three\r\nlines\nlong' }), undefined],
    [row({ purchaseId: 'p-2', purchaseTime: '26.01.2026 10:00' }), 'purchaseTime: expected ms'],
    [row({ purchaseId: 'p-3', purchaseTime: '2026-01-26 10:00' }), 'purchaseTime: expected ms'],
    [row({ purchaseId: 'p-4', purchaseTime: '2026-02-30T10:00Z' }), 'purchaseTime: expected ms'],
    [row({ purchaseId: 'p-5', purchaseTime: importTime / 1_000 }), 'purchaseTime: expected ms'],
    [row({ purchaseId: 'p-6', consumedTime: '1.79E+12' }), 'consumedTime: expected ms'],
    [row({ purchaseId: 'p-7', price: '12.50' }), 'price: must be integer'],
    [
      row({ purchaseId: '2.60101E+19' }),
      'purchaseId: expected the value of the old store: a spreadsheet rounded it',
    ],
    [
      row({ purchaseId: 'p-14', orderId: '2,6E+19' }),
      'orderId: expected the value of the old store: a spreadsheet',
    ],
    [row({ purchaseId: '', orderId: 'o-2' }), 'missing: purchaseId'],
    [row({ purchaseId: 'p-8', orderId: 'o-1' }), 'orderId: another purchase has the same'],
    [row({ purchaseId: 'p-1' }), 'purchaseId: another purchase has the same'],
    [row({ purchaseId: 'p-9', voidReason: '1' }), 'the fields contradict each other: purchase_void_check'],
    [row({ purchaseId: 'p-10', productId: 'gems' }), 'productId: expected a product of the file of products'],
    [
      row({ purchaseId: 'p-11', ...gems }),
      'productId: expected the id of a product of type oneTime, got gems',
    ],
    [row({ purchaseId: 'p-12', purchaseTime: 9_000_000_000_000 }), 'purchaseTime: expected at most '],
    [row({ purchaseId: 'p-13', firstPurchaseId: 's-1' }), 'firstPurchaseId: expected none without '],
  ];
  const found = await problemsOf({ 'sold.csv': csvText(wrong.map(([record]) => record)) });
  // The first record ends in line 4.
  const expected = placed('sold.csv', wrong, 4);
  expect(found).toEqual(expected.map((problem) => expect.stringContaining(problem)));
});

test('a check names the line and the column of each problem of a subscription or a period', async () => {
  const firstStartTime = Date.parse('2026-01-31T00:00:00+09:00');
  const expiryTime = Date.parse('2026-02-28T00:00:00+09:00');
  const row = (firstPurchaseId: string, values: CsvRecord): CsvRecord => ({
    ...{ firstPurchaseId, productId: 'club', firstStartTime, expiryTime, autoRenewing: 'TRUE', ...values },
  });
  const wrong: Wrong = [
    [row('s-1', { autoRenewing: 'WAHR' }), 'autoRenewing: expected true or false'],
    [row('s-2', { autoRenewing: '' }), 'missing: autoRenewing'],
    [row('s-3', { timeZone: 'Mars' }), 'timeZone: expected a name such as Europe/Berlin'],
    [row('s-4', { expiryTime: expiryTime + 1 }), 'lastStartTime: expected one, because '],
    [
      row('s-5', { cancelledTime: firstStartTime }),
      'cancelledTime: expected none while autoRenewing is true',
    ],
    [
      row('s-14', { awaitsConsent: true, cancelledTime: firstStartTime }),
      'awaitsConsent: expected false while autoRenewing is true',
    ],
    [
      row('s-15', { awaitsConsent: true, autoRenewing: false }),
      'cancelledTime: expected one with awaitsConsent',
    ],
    [row('s-6', { lastStartTime: firstStartTime - 1 }), 'startTime: expected a time after '],
    [row('s-7', { productId: 'coins' }), 'productId: expected a product of type subscription with a period'],
    [row('s-8', { expiryTime: expiryTime + 1 }), 'expiryTime: expected '],
    [
      row('s-11', { productId: 'gym', price: 0, currency: 'KRW', firstPeriod: 'P7D' }),
      'renewalPrice: expected',
    ],
    [row('s-13', { firstPeriod: '7 days' }), 'firstPeriod: expected a length from P3D to P1Y'],
    [row('s-9', {}), 'firstPurchaseId: expected s-9-0, that of the first period, got s-9'],
  ];
  const paidPeriod = (firstPurchaseId: string, purchaseId: string): CsvRecord => ({
    ...{ purchaseId, productId: 'club', purchaseTime: firstStartTime, firstPurchaseId },
    ...{ startTime: firstStartTime, expiryTime },
  });
  const found = await problemsOf({
    'periods.csv': csvText([
      paidPeriod('s-8', 's-8'),
      paidPeriod('s-9', 's-9-0'),
      paidPeriod('s-10', 's-10'),
    ]),
    'subscriptions.csv': csvText(wrong.map(([record]) => record)),
  });
  const orphan = 'periods.csv, line 4: firstPurchaseId: expected the id of a subscription, got s-10';
  for (const problem of [...placed('subscriptions.csv', wrong, 2), orphan]) {
    expect(found).toContainEqual(expect.stringContaining(problem));
  }
});

const yearly = [
  'productId,type,price,currency,period',
  'year,subscription,99000,KRW,',
  'coins,oneTime,1200,KRW,',
  'club,subscription,9900,KRW,P1M',
].join('\n');

test('a check refuses what would charge another amount or more often than the old store did', async () => {
  const day = 86_400_000;
  const row = (firstPurchaseId: string, values: CsvRecord): CsvRecord => ({
    ...{ firstPurchaseId, productId: 'club', autoRenewing: true },
    ...{ firstStartTime: importTime - 100 * day, lastStartTime: importTime - 10 * day, ...values },
    expiryTime: values['expiryTime'] ?? importTime + 20 * day,
  });
  const nearer = (length: string) =>
    new RegExp(`^expiryTime: expected the end of a period of P1M .*, nearer to ${length}$`);
  const wrong: readonly (readonly [CsvRecord, RegExp])[] = [
    [row('s-1', { productId: 'year' }), /^productId: expected a product of type subscription with a period /],
    [row('s-2', { expiryTime: importTime + 355 * day }), nearer('P1Y')],
    [row('s-3', { expiryTime: importTime - 3 * day, autoRenewing: false }), nearer('P1W')],
    [row('s-4', { firstPeriod: 'P7D' }), /^price: expected one with a firstPeriod$/],
    [
      row('s-5', { currency: 'USD' }),
      /^price: expected one with the currency USD, which is not that of the product$/,
    ],
    [
      row('s-6', { currency: 'USD', price: 0, firstPeriod: 'P7D' }),
      /^renewalPrice: expected one with a firstPeriod, or a product of the same currency /,
    ],
    [row('s-7', { expiryTime: importTime + 35 * day }), /^$/],
    [row('s-8', { expiryTime: importTime + 355 * day, voidedTime: importTime }), /^$/],
  ];
  const found = await problemsOf({
    'products.csv': yearly,
    'subscriptions.csv': csvText(wrong.map(([record]) => record)),
  });
  const [ofProduct, ...others] = found.filter((problem) => !problem.includes(': firstPurchaseId: '));
  expect(ofProduct).toMatch(
    /^products.csv, line 2: period: expected P1W, P1M, P3M, P6M or P1Y, for a product of type subscription$/,
  );
  expect(others.map((problem) => problem.replace(/^subscriptions.csv, line \d+: /, ''))).toEqual(
    wrong.slice(0, -2).map(([, problem]) => expect.stringMatching(problem)),
  );
});

test.each([
  ['20 ids of which each has only zeros', 20, '', true],
  ['19 such ids', 19, '', false],
  ['an id among them that has another digit', 20, '26010100000000000001', false],
])('after the 15th digit, %s', async (_, count, other, isRefused) => {
  const ids = Array.from({ length: count }, (_, index) => `${260_101_000_000_000 + index}00000`);
  const rows = [...ids, other]
    .filter((id) => id !== '')
    .map((purchaseId) => `${purchaseId},coins,${importTime}\n`);
  const found = await problemsOf({ 'sold.csv': `purchaseId,productId,purchaseTime\n${rows.join('')}` });
  const problem = `sold.csv, line 1: purchaseId: expected the values of the old store: all ${count} with 16 or more digits`;
  expect(found).toEqual(isRefused ? [expect.stringContaining(problem)] : []);
});

test('a type that no product has is refused with the ones that there are', async () => {
  const file = 'productId,price,currency,type\ncoins,1200,KRW,one_time\n';
  expect(await csvRefusal(connection, { 'products.csv': file }, app)).toContain(
    'products.csv, line 2: type: expected "oneTime" or "subscription"',
  );
});

test('a file of subscriptions has no period, which is that of their product', async () => {
  const file = 'firstPurchaseId,productId,firstStartTime,expiryTime,autoRenewing,period\n';
  expect(await csvRefusal(connection, { 'products.csv': products, 'subs.csv': file }, app)).toContain(
    'subs.csv, line 1: unknown: period, which is that of the product; give subscriptions of another length a product of their own: ',
  );
});

const sale = 'purchaseId,productId,purchaseTime,developerPayload\np-1,coins,1790000000000,a\n';
const refusalOf = (file: string | Buffer) =>
  csvRefusal(connection, { 'products.csv': products, 'sold.csv': file }, app);

describe('a row that is not as its file began rejects the import', () => {
  const quotes = 'expected a value without quotes, or one in quotes';
  test.each<readonly [string, string | Buffer, string]>([
    ['without its second quote', 'p-2,coins,1,"b\np-3,coins,1,c\n', `developerPayload: ${quotes}`],
    ['with a quote within a value', 'p-2,co"ins,1,b\n', `productId: ${quotes}`],
    ['with text after a quote', 'p-2,"coins"s,1,b\n', `productId: ${quotes}`],
    ['with a value that is too long', `p-2,coins,1,"${'b\n'.repeat(lineBytesMax)}`, 'developerPayload: '],
    ['with too many cells', 'p-2,coins,1,a,b\n', 'expected 4 cells, as in the first line, got 5'],
    ['that was cut off', 'p-2,coins,1790', 'expected 4 cells, as in the first line, got 3'],
    [
      'in another encoding',
      Buffer.from('p-2,coins,1790000000000,M\u00fcller\n', 'latin1'),
      'developerPayload: expected UTF-8',
    ],
  ])('%s', async (_, row, problem) => {
    const message = await refusalOf(Buffer.concat([Buffer.from(sale), Buffer.from(row)]));
    expect(message).toContain(`Nothing was imported. sold.csv, line 3: ${problem}`);
  });
});

describe('a file with another first line is rejected with the columns that it could have', () => {
  const known = 'the columns of a purchase are purchaseId, productId, purchaseTime, and optionally orderId, ';
  test.each<readonly [string, string | Buffer, string]>([
    ['an unknown column', sale.replace('developerPayload', 'email'), `unknown: email: ${known}`],
    ['a missing column', sale.replace('purchaseTime', 'buyerId'), `missing: purchaseTime: ${known}`],
    ['a column that comes twice', sale.replace('developerPayload', 'productId'), 'more than once: productId'],
    ['a column without a name', sale.replace('productId', ''), 'unknown: a column without a name'],
    ['values', 'p-1,coins,1790000000000\n', 'missing: '],
    ['nothing', '', 'missing: '],
    ['an open quote', sale.replace('purchaseId', '"purchaseId'), 'expected a value without quotes'],
    ['the bytes of a program', Buffer.from('7f454c4602010100ff00fe', 'hex'), 'expected UTF-8'],
  ])('%s', async (_, file, problem) => {
    const message = await refusalOf(file);
    expect(message).toMatch(/^Nothing was imported\. sold\.csv, line 1: /);
    expect(message).toContain(problem);
  });
});

test('only the app is named if the store has it', async () => {
  const packageName = 'com.example.here';
  const files = { 'products.csv': products, 'sold.csv': sale };
  const message = await csvRefusal(connection, files, { packageName, clientId: 'another' });
  const problem = `packageName: expected an app that the store does not have, got ${packageName}, which it has`;
  expect(message).toBe(`Nothing was imported. The app ${packageName}: ${problem}`);
});
