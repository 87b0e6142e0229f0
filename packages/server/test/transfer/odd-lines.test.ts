// Files that are almost exports, and lines that fit their columns but that no server could return.

import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { freshDatabase, useForFile } from '../harness.ts';
import { appLine, eventLine, exportText, type Line, productLine, purchaseLine } from './lines.ts';
import { imported, refusal } from './transfer.ts';

const packageName = 'com.example.odd';
const time = 1_790_000_000_000;

const database = await useForFile(freshDatabase());
const basis = [
  appLine(packageName, 1),
  productLine(packageName, 'coins'),
  productLine(packageName, 'monthly', { type: 'subscription' }),
  purchaseLine(packageName, 'p-1'),
];
await imported(database.connection, exportText(basis));

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
  [
    'auto-payment of a subscription that expired',
    subscription({ autoRenewing: true, nextPaymentTime: time + 1 }),
    'expiryTold: expected false while autoRenewing is true',
  ],
  [
    'auto-payment of a subscription whose buyer was erased',
    subscription({ autoRenewing: true, nextPaymentTime: time + 1, expiryTold: false, erasedAt: time }),
    'erasedAt: expected none while autoRenewing is true',
  ],
  [
    'a webhook without a URL',
    {
      kind: 'webhook',
      packageName,
      url: '__proto__',
      secret: '00',
      cursorOrder: 0,
      createdAt: time,
      updatedAt: time,
    },
    'url: expected a URL',
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
    /^code: expected a code of consumePurchase /,
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
])('a line with %s is rejected', async (_, line, problem) => {
  const message = await refusal(database.connection, exportText([line]));
  expect(message).toMatch(/^Nothing was imported\. Line 2: /);
  const shown = message.replace(/^Nothing was imported\. Line 2: /, '');
  if (typeof problem === 'string') expect(shown).toBe(problem);
  else expect(shown).toMatch(problem);
});

test('the problem of a line is truncated and has no control characters', async () => {
  const names = ['\u001b[2J', '\u202ebackwards', 'x'.repeat(100_000)];
  const line = call(Object.fromEntries(names.map((name) => [name, 1])));
  const message = await refusal(database.connection, exportText([line]));
  expect(message).toMatch(/^Nothing was imported\. Line 2: unknown: \?\[2J, \?backwards, x+\.\.\.$/);
  expect(message.length).toBeLessThan(350);
});

test('a byte order mark before the first line is ignored', async () => {
  expect(await imported(database.connection, `\ufeff${exportText([])}`)).toMatchObject({ imported: {} });
});

test.each([
  ['compressed', gzipSync(exportText([]))],
  ['in UTF-16', Buffer.from(`\ufeff${exportText([])}`, 'utf16le')],
  ['one endless line', 'x'.repeat(1_000_000)],
])('a file that is %s is rejected in one line', async (_, bytes) => {
  expect(await refusal(database.connection, bytes)).toMatch(
    /^This is not an OpenTill export, or it is compressed: line 1 is (?:not UTF-8|longer than 262144 bytes)\.$/,
  );
});
