// The files of lists: `Accept: text/csv` of the same operations.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { operatorOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../../../packaging/reference/document.ts';
import { sessionCookie } from '../../../../test/support/calls/session-calls.ts';
import { csvRowsOf } from '../../../../test/support/csv-rows.ts';
import {
  adminKey,
  call,
  createTestApp,
  type HttpResponse,
  newTestApp,
  operate,
  recordKey,
  recordTestPurchase,
  supportKey,
  testNow,
  useForFile,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { urlOf } from '../../../../test/support/http/checked-call.ts';
import { closedUrl, path } from '../../../../test/support/http/sample-calls.ts';
import { query } from '../../../../test/support/query.ts';
import { countAll } from '../../../../test/support/statistics/counting.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { openJob } from '../../../../test/support/webhooks/webhook-stage.ts';
import { countColumns } from '../../src/store/tables/statistics.ts';
import { exchange } from './raw-exchange.ts';

const logLines: string[] = [];
const server = await useTestServer({ logLines, env: { OPENTILL_TIME_ZONE: 'Asia/Seoul' } });
const app = await createTestApp(server, path.packageName);
await recordTestPurchase(server, app, { purchaseId: path.purchaseId, buyerId: 'ann' });
await recordTestPurchase(server, app, { purchaseId: path.firstPurchaseId, productId: 'monthly' });
await operate(server, 'PUT', `/apps/${app.packageName}/webhook`, { body: { url: closedUrl } });
await operate(server, 'POST', `/apps/${app.packageName}/webhook/test`);
await using delivering = openJob(server);
await delivering.job.runOnce();
await countAll(await useForFile(openDatabase(server.connection, 2)), 'Asia/Seoul');

const csv = { accept: 'text/csv' };
const ofKey = (key: string) => ({ ...csv, authorization: `Bearer ${key}` });

/** The file of a call; `path` follows /operator/v1. */
const fileOf = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpResponse> =>
  call(`${server.operatorUrl}/operator/v1${path}`, { headers: { ...ofKey(adminKey), ...headers } });

/** The rows of a file as records, by the names in its first row. */
function recordsOf({ status, text }: HttpResponse): Record<string, string>[] {
  expect(status, text).toBe(200);
  const [names = [], ...rows] = csvRowsOf(text.replace(/^\ufeff/, ''));
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ''])));
}

test('a file has a byte order mark, ids as text, instants with an offset, and amounts in the digits of their currency', async () => {
  const { packageName } = await newTestApp(server);
  for (const [productId, price, currency] of [
    ['won', 1200, 'KRW'],
    ['dinar', 1234, 'BHD'],
  ] as const) {
    const body = { type: 'oneTime', price, currency };
    await operate(server, 'PUT', `/apps/${packageName}/products/${productId}`, { body });
  }
  const purchaseId = '12345678901234567890';
  await recordTestPurchase(server, { packageName }, { purchaseId, buyerId: '=cmd()', orderId: '＋1 "a", b' });
  await recordTestPurchase(server, { packageName }, { purchaseId: 'P-won', productId: 'won' });
  await recordTestPurchase(server, { packageName }, { purchaseId: 'P-dinar', productId: 'dinar' });
  const file = await fileOf(`/purchases?packageName=${packageName}`);
  expect(Buffer.from(await bytesOf(`/purchases?packageName=${packageName}`)).subarray(0, 3)).toEqual(
    Buffer.from([0xef, 0xbb, 0xbf]),
  );
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(file.headers.get('content-disposition')).toBe('attachment');
  const purchases = new Map(recordsOf(file).map((purchase) => [purchase['purchaseId'], purchase]));
  expect(purchases.get(`'${purchaseId}`)).toMatchObject({
    ...{ packageName, productId: 'coins', buyerId: "'=cmd()", orderId: `'＋1 "a", b` },
    ...{ price: '4.99', currency: 'EUR', purchaseTime: '2026-03-15T21:00:00.000+09:00', voidedTime: '' },
  });
  expect(purchases.get('P-won')).toMatchObject({ price: '1200', currency: 'KRW' });
  expect(purchases.get('P-dinar')).toMatchObject({ price: '1.234', currency: 'BHD' });
  const inBerlin = await fileOf(`/purchases?packageName=${packageName}`, {
    prefer: 'timezone="Europe/Berlin"',
  });
  expect(recordsOf(inBerlin)[0]).toMatchObject({ purchaseTime: '2026-03-15T13:00:00.000+01:00' });
  const unknown = await fileOf(`/purchases?packageName=${packageName}`, { prefer: 'timezone=Mars/Base' });
  expect(recordsOf(unknown)).toEqual(recordsOf(file));
});

async function bytesOf(path: string): Promise<ArrayBuffer> {
  return (
    await fetch(`${server.operatorUrl}/operator/v1${path}`, { headers: ofKey(adminKey) })
  ).arrayBuffer();
}

/** Adds purchases by SQL: `n-0`, `n-1` and so on, several at each instant. */
async function addPurchases(packageName: string, count: number): Promise<void> {
  await query(
    server.connection,
    `insert into purchase (package_name, purchase_id, product_id, purchase_time, developer_payload, price, currency, recorded_by)
      select '${packageName}', 'n-' || n, 'coins', ${testNow} - n / 7, repeat('x', 200), 499, 'EUR', 'operator:checkout'
      from generate_series(1, ${count}) n`,
  );
}

test('a file of an app, and that of all apps, has each purchase once, however many pages there are', async () => {
  const [many, few] = [await newTestApp(server), await newTestApp(server)];
  await addPurchases(many.packageName, 3_000);
  await addPurchases(few.packageName, 2);
  const idsOf = (file: HttpResponse) =>
    recordsOf(file).map(({ packageName, purchaseId }) => `${packageName} ${purchaseId}`);
  const ofMany = idsOf(await fileOf(`/purchases?packageName=${many.packageName}&pageSize=1`));
  expect([ofMany.length, new Set(ofMany).size]).toEqual([3_000, 3_000]);
  const ofAll = idsOf(await fileOf(`/purchases?from=${testNow - 100_000}`));
  expect(new Set(ofAll).size).toBe(ofAll.length);
  expect(ofAll).toEqual(expect.arrayContaining([`${few.packageName} n-1`, `${few.packageName} n-2`]));
  expect(ofAll.filter((id) => id.startsWith(`${many.packageName} `))).toEqual(ofMany);
});

const countNames = Object.values(countColumns).map(({ column }) => column);

test('the files of statistics have every currency, and those by product every product', async () => {
  const { packageName } = await newTestApp(server);
  await query(
    server.connection,
    `insert into product (package_name, product_id, type, price, currency, created_at, updated_at)
      select '${packageName}', 'p' || n, 'oneTime', n, case when n % 2 = 0 then 'EUR' else 'JPY' end, 1, 1
      from generate_series(1, 1001) n`,
  );
  await query(
    server.connection,
    `insert into statistic_day (package_name, day, product_id, currency, ${countNames.join(', ')})
      select package_name, date '2026-03-15', product_id, currency, ${countNames.map(() => 'price').join(', ')}
      from product where package_name = '${packageName}' and product_id ~ '^p'`,
  );
  const range = `packageName=${packageName}&from=2026-03-01&to=2026-03-31`;
  const days = recordsOf(await fileOf(`/statistics?${range}`));
  expect(days.map(({ period, currency, sold, soldAmount }) => [period, currency, sold, soldAmount])).toEqual([
    ['2026-03-15', 'EUR', '250500', '2505.00'],
    ['2026-03-15', 'JPY', '251001', '251001'],
  ]);
  expect(recordsOf(await fileOf(`/statistics?${range}&by=product`)).length).toBe(1_001);
});

const asCsv = (operatorOperations as readonly OperatorOperation[]).filter((operation) => operation.asCsv);

/** The filters of some files, and what their actions say of them. */
const filtered: Readonly<Record<string, { query: Record<string, string>; filters: string }>> = {
  listPurchases: {
    query: { packageName: path.packageName, buyerId: 'ann' },
    filters: `packageName=${path.packageName}&buyerId=***`,
  },
  getStatement: { query: {}, filters: `packageName=${path.packageName}&name=soFar` },
  getStatistics: {
    query: { from: '2026-03-01', to: '2026-03-31' },
    filters: 'from=2026-03-01&to=2026-03-31',
  },
};
const inPath = ({ pathParameters }: OperatorOperation) =>
  'packageName' in pathParameters ? `packageName=${path.packageName}` : undefined;

test.each(asCsv.map((operation) => [operation.operationId, operation] as const))(
  'the file of %s has the entries of its pages in their order, and is one action that names the filters but no buyer',
  async (operationId, operation) => {
    const { query = {}, filters = inPath(operation) } = filtered[operationId] ?? {};
    const url = urlOf(operation, { path, query });
    const json = await operate(server, 'GET', url.replace('/operator/v1', ''));
    const entries = Object.values(json.body).findLast(Array.isArray) as Record<string, unknown>[];
    const records = recordsOf(await fileOf(url.replace('/operator/v1', '')));
    expect(entries.length).toBeGreaterThan(0);
    expect(records.length).toBe(entries.length);
    for (const [index, entry] of entries.entries()) {
      const texts = Object.entries(entry).filter(([, value]) => typeof value === 'string');
      const written = texts.map(([name]) => records[index]?.[name]?.replace(/^'/, ''));
      expect(written).toEqual(texts.map(([, value]) => value));
    }
    const { body } = await operate(server, 'GET', `/actions?operationId=${operationId}&pageSize=1`);
    expect(body.actions).toMatchObject([
      { operationId, madeBy: 'operator:admin', detail: { file: 'csv', ...(filters && { filters }) } },
    ]);
    const logged = logLines.filter(
      (line) => line.includes('"code":"action"') && line.includes('"file":"csv"'),
    );
    expect(logged.at(-1)).toContain(`"operationId":"${operationId}"`);
  },
);

test('the document lists text/csv as a second media type of the response of each, and of no other operation', async () => {
  const { paths = {} } = openApiDocument('sandboxOperator');
  const documented = Object.values(paths).flatMap((item) => {
    const { operationId = '', responses } = item?.get ?? {};
    const response = responses?.['200'] ?? {};
    const types = 'content' in response ? Object.keys(response.content ?? {}) : [];
    return types.includes('text/csv') ? [[operationId, ...types].join(' ')] : [];
  });
  const names = asCsv.flatMap(({ operationId, csvEntries }) =>
    csvEntries === undefined ? [operationId] : [operationId, `developer.${operationId}`],
  );
  const expected = names.map((name) => `${name} application/json text/csv`);
  expect(documented.sort()).toEqual(expected.sort());
});

test('a call gets JSON unless it prefers text/csv, and its errors stay problem details', async () => {
  const typeOf = async (accept: string, path = '/apps', key = supportKey) => {
    const headers = { authorization: `Bearer ${key}`, accept };
    return (await call(`${server.operatorUrl}/operator/v1${path}`, { headers })).headers.get('content-type');
  };
  for (const accept of [
    '*/*',
    'application/json, text/csv',
    'text/csv;q=0.5, */*',
    'text/html',
    'text/csv;q=0',
  ])
    expect(await typeOf(accept), accept).toMatch(/^application\/json/);
  for (const accept of ['text/csv', 'text/csv, */*;q=0.1', 'text/*', 'TEXT/CSV; charset=utf-8'])
    expect(await typeOf(accept), accept).toMatch(/^text\/csv/);
  for (const [path, key] of [
    ['/apps/com.example.unknown/products', supportKey],
    ['/purchases?state=completed', supportKey],
    ['/apps/com.example.unknown/events', supportKey],
    ['/apps', recordKey],
  ] as const)
    expect(await typeOf('text/csv', path, key), path).toMatch(/^application\/problem/);
  const head = await fetch(`${server.operatorUrl}/operator/v1/apps`, {
    method: 'HEAD',
    headers: ofKey(adminKey),
  });
  expect(head.headers.get('content-type')).toMatch(/^application\/json/);
});

test('HTTP/1.0, in which a file that was cut looks complete, gets none', async () => {
  const lines = ['GET /operator/v1/apps HTTP/1.0', `Authorization: Bearer ${adminKey}`, 'Accept: text/csv'];
  const { received } = await exchange(server.operatorUrl, {
    ...{ bytes: `${lines.join('\r\n')}\r\n\r\n`, cuts: [], end: 'half-close' },
  });
  expect(received).toMatch(/^HTTP\/1\.1 400 /);
  expect(received).toContain('expected version 1.1 for a file');
});

/** Many times what the buffers of a connection hold. */
const manyRows = 40_000;
const { packageName: large } = await newTestApp(server);
await addPurchases(large, manyRows);

/** Begins to read a file; nothing more is read until the response is resumed. */
async function beginFile(headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const url = `${server.operatorUrl}/operator/v1/purchases?packageName=${large}`;
  const sent = request(url, { headers: { ...csv, ...headers } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response, 'readable');
  return response;
}

test('a session or a key takes one file at a time, and the next when its client has left', async () => {
  const [cookie, other] = [await sessionCookie(server), await sessionCookie(server, { key: adminKey })];
  const ofPage = { 'sec-fetch-site': 'same-origin' };
  const first = await beginFile({ cookie, ...ofPage });
  const next = (headers: Readonly<Record<string, string>>) =>
    call(`${server.operatorUrl}/operator/v1/apps`, { headers: { ...csv, ...ofPage, ...headers } });
  expect(await next({ cookie })).toMatchObject({
    status: 429,
    body: { detail: expect.stringContaining('one file at a time') },
  });
  expect((await next({ cookie: other })).status).toBe(200);
  expect((await next(ofKey(supportKey))).status).toBe(200);
  // Other calls of the session, and other reads of the app, go on.
  const list = `${server.operatorUrl}/operator/v1/purchases?packageName=${large}`;
  expect((await call(list, { headers: { cookie, ...ofPage } })).status).toBe(200);
  first.destroy();
  await waitFor(async () => (await next({ cookie })).status === 200, { what: 'the slot of the session' });
});

test('a file is read no faster than by its client: a later page has what was changed in the meantime', async () => {
  const response = await beginFile({ authorization: `Bearer ${adminKey}` });
  await query(server.connection, `update purchase set product_id = 'gems' where package_name = '${large}'`);
  const content = await text(response.setEncoding('utf8'));
  const rows = csvRowsOf(content).slice(1);
  expect(rows.length).toBe(manyRows);
  expect(rows.at(-1)).toContain('gems');
});

test('an error in the midst of a file cuts the connection, and is logged with its call', async () => {
  const response = await beginFile({ authorization: `Bearer ${adminKey}` });
  await query(server.connection, 'alter table purchase rename to moved');
  await expect(text(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
  await query(server.connection, 'alter table moved rename to purchase');
  const requestId = response.headers['x-request-id'];
  const lines = await waitFor(
    () => {
      const found = logLines.filter((line) => line.includes(`"requestId":"${requestId}"`));
      return found.some((line) => line.includes('"outcome"')) && found;
    },
    { what: 'the lines of the call' },
  );
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ code: 'action', operationId: 'listPurchases' }),
    expect.objectContaining({ code: 'callFailed', operationId: 'listPurchases' }),
    expect.objectContaining({ outcome: 'internalError', operationId: 'listPurchases' }),
  ]);
});
