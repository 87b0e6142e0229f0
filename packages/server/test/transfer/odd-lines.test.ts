// Files that are nearly exports, and lines that fit their columns but could never be answered with.

import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StartProblem } from '../../src/runtime/start-problem.ts';
import { freshDatabase, type TestDatabase } from '../harness.ts';
import { appLine, eventLine, exportText, type Line, productLine, purchaseLine } from './lines.ts';
import { imported } from './transfer.ts';

const packageName = 'com.example.odd';
const time = 1_790_000_000_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
  const basis = [
    appLine(packageName, 1),
    productLine(packageName, 'coins'),
    productLine(packageName, 'monthly', { type: 'subscription' }),
    purchaseLine(packageName, 'p-1'),
  ];
  expect((await imported(database.connection, exportText(basis))).problems).toEqual([]);
});
afterAll(() => database[Symbol.asyncDispose]());

const subscription = (more: object): Line => ({
  kind: 'subscription',
  packageName,
  firstPurchaseId: 's-1',
  productId: 'monthly',
  firstStart: time,
  timeZone: 'UTC',
  price: 1,
  currency: 'EUR',
  developerPayload: '',
  autoRenewing: false,
  expiryTime: time + 1,
  lastPeriodIndex: 0,
  lastPurchaseId: 's-1',
  lastStartTime: time,
  expiryTold: true,
  ...more,
});

const fault = (more: object): Line => ({
  kind: 'fault',
  packageName,
  position: 0,
  putId: 'r',
  operation: 'consumePurchase',
  met: 0,
  applied: 0,
  ...more,
});

const call = (more: object): Line => ({
  kind: 'request',
  packageName,
  calledAt: time,
  callOrder: 1,
  requestId: 'r',
  appTime: time,
  operationId: 'getPurchaseDetails',
  method: 'GET',
  path: '/',
  latencyMs: 1,
  answer: '',
  isAnswerCut: false,
  hints: [],
  ...more,
});

const deep = '['.repeat(50_000) + ']'.repeat(50_000);
const record = { startTime: time, expiryTime: time, autoRenewing: false, price: 1, purchaseState: 0 };
const event = (more: object) => eventLine(packageName, 1, 'p-1', more);

test.each<[string, Line | string, string | RegExp]>([
  [
    'a time zone that is none',
    subscription({ timeZone: 'Mars/Olympus' }),
    'timeZone: expected a name such as Europe/Berlin',
  ],
  ['an unknown type of event', event({ type: 'purchase.lost' }), /^type: expected "purchase.completed" or /],
  ['a purchase of a test event', event({ type: 'test' }), 'purchaseId: expected none in such an event'],
  [
    'an event without its purchase',
    event({ purchaseId: undefined }),
    'purchaseId: expected one in such an event',
  ],
  [
    'a renewal of no subscription',
    event({ type: 'subscription.renewed' }),
    'firstPurchaseId: expected one in such an event',
  ],
  [
    'a month that was consumed',
    event({ type: 'purchase.consumed', firstPurchaseId: 's-1' }),
    'firstPurchaseId: expected none in such an event',
  ],
  [
    'an order that no id of an event can hold',
    event({ eventOrder: 10 ** 15 }),
    'eventOrder: must be <= 999999999999999',
  ],
  [
    'an unknown operation of a fault',
    fault({ operation: 'none' }),
    /^operation: expected "getAccessToken" or /,
  ],
  [
    'a code that the operation never has',
    fault({ code: 9100 }),
    /^code: expected one that consumePurchase has/,
  ],
  ['an unknown hint', call({ hints: ['none'] }), /^hints\.0: expected "contentTypeMissing" or /],
  [
    'a field that is nested without end',
    JSON.stringify(event({ record })).replace('"startTime"', `"a":${deep},"startTime"`),
    'record: nested more than 8 deep',
  ],
  [
    'an unknown field that is nested without end',
    JSON.stringify(call({})).replace('"hints"', `"x":${deep},"hints"`),
    'unknown: x',
  ],
  [
    'a prototype',
    JSON.stringify(call({})).replace('"hints"', '"__proto__":{},"hints"'),
    'unknown: __proto__',
  ],
])('%s is told, and is not imported', async (_, line, problem) => {
  const { problems, refused } = await imported(database.connection, exportText([line]));
  expect(refused).toBe(1);
  const told = problems[0]?.replace(/^2: /, '') ?? '';
  if (typeof problem === 'string') expect(told).toBe(problem);
  else expect(told).toMatch(problem);
});

test('what is told of a line is short, and holds nothing that a terminal acts on', async () => {
  const names = ['\u001b[2J', '\u202ebackwards', 'x'.repeat(100_000)];
  const line = call(Object.fromEntries(names.map((name) => [name, 1])));
  const { problems } = await imported(database.connection, exportText([line]));
  expect(problems[0]).toMatch(/^2: unknown: \?\[2J, \?backwards, x+\.\.\.$/);
  expect(problems[0]?.length).toBeLessThan(320);
});

test('a byte order mark before the first line is passed over', async () => {
  const report = await imported(database.connection, `\ufeff${exportText([])}`);
  expect(report).toMatchObject({ problems: [], isWhole: true });
});

test.each([
  ['packed', gzipSync(exportText([]))],
  ['in UTF-16', Buffer.from(`\ufeff${exportText([])}`, 'utf16le')],
  ['one endless line', 'x'.repeat(1_000_000)],
])('a file that is %s changes nothing, and is told in one line', async (_, bytes) => {
  const refused = imported(database.connection, bytes);
  await expect(refused).rejects.toBeInstanceOf(StartProblem);
  await expect(refused).rejects.toThrow(
    /^This is no export of OpenTill, or it is packed: line 1 is (?:not UTF-8|longer than 262144 bytes)\.$/,
  );
});
