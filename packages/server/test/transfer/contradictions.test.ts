// Rows that contradict each other or the time of their app, and checks of imports, which name them all.

import { beforeEach, expect, test } from 'vitest';
import { freshDatabase, useForFile } from '../../../../test/support/harness.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { isCluster } from '../../../../test/support/test-databases.ts';
import {
  appLine,
  appWithPurchase,
  eventLine,
  exportText,
  type Line,
  monthLines,
  periodEnd,
  periodLine,
  productLine,
  purchaseLine,
  subscriptionLine,
  subscriptionLines,
} from '../../../../test/support/transfer/lines.ts';
import {
  checked,
  expectUnchangedStore,
  refusal,
  reported,
  testAuthor,
} from '../../../../test/support/transfer/transfer.ts';
import { quoteInstant } from '../../src/domain/text/quoted-value.ts';

const time = 1_790_000_000_000;
const packageName = 'com.example.bad';
const dayMs = 86_400_000;

const database = await useForFile(freshDatabase());
const clock = new TestClock(testAuthor.time);
await clock.drive(database);
beforeEach(() => clock.set(testAuthor.time));

expectUnchangedStore(database.connection);

const basis = appWithPurchase(packageName);
const purchase = (more: object) => purchaseLine(packageName, 'p-2', more);

const ahead = `expected at most ${quoteInstant(time + 60_000)}, a minute after the time of the app, got ${quoteInstant(time + 60_001)}`;

test.each<[string, readonly Line[], string]>([
  [
    'a product that is missing',
    [purchase({ productId: 'none' })],
    'purchase p-2 of com.example.bad: productId: expected the id of a product of type oneTime, got none',
  ],
  [
    'a subscription that is missing',
    [periodLine(packageName, 's-1')],
    'purchase s-1 of com.example.bad: firstPurchaseId: expected the id of a subscription, got s-1',
  ],
  [
    'a subscription whose time contradicts that of its period',
    subscriptionLines(packageName, 's-1', { expiryTime: periodEnd + 1, nextPaymentTime: periodEnd + 1 }),
    `subscription s-1 of com.example.bad: expiryTime: expected ${quoteInstant(periodEnd)}, that of the last period, got ${quoteInstant(periodEnd + 1)}`,
  ],
  [
    'a subscription with another period than its product',
    subscriptionLines(packageName, 's-1', { period: 'P1Y', anchorTime: time, anchorIndex: -1 }),
    'subscription s-1 of com.example.bad: period: expected P1M, that of the product monthly, got P1Y',
  ],
  [
    'a subscription of another buyer than its periods, whom an erasure would not find,',
    [
      subscriptionLine(packageName, 's-1', { buyerId: 'ann' }),
      periodLine(packageName, 's-1', { buyerId: 'ben' }),
    ],
    'subscription s-1 of com.example.bad: buyerId: expected that of one of its periods, got another',
  ],
  [
    'a month with other sums than its events',
    [eventLine(packageName, 1, 'p-1'), ...monthLines(packageName, {}, { salesAmount: 500 })],
    'closedMonth 2026-09 of com.example.bad: expected the sums of its events, from 1 to 1, got others',
  ],
  [
    'a month that does not follow the one before',
    [
      ...monthLines(packageName),
      ...monthLines(packageName, { month: '2026-10', firstOrder: 3, lastOrder: 2 }).slice(0, 1),
    ],
    'closedMonth 2026-10 of com.example.bad: firstOrder: expected 2, after the month before, got 3',
  ],
  [
    'a year among periods of a month',
    [
      subscriptionLine(packageName, 's-1', {
        ...{ firstStartTime: time - 365 * dayMs, lastPeriodIndex: 1, lastPurchaseId: 's-2' },
        // Two periods before the end of the second period.
        ...{ anchorTime: periodEnd - 61 * dayMs, anchorIndex: -1 },
      }),
      periodLine(packageName, 's-1', { startTime: time - 365 * dayMs, expiryTime: time }),
      periodLine(packageName, 's-1', { purchaseId: 's-2', periodIndex: 1 }),
    ],
    `purchase s-1 of com.example.bad: expiryTime: expected the end of a period of P1M after the start of the period at ${quoteInstant(time - 365 * dayMs)}, got ${quoteInstant(time)}, nearer to P1Y`,
  ],
  [
    'a purchase of the future',
    [purchase({ purchaseTime: time + 60_001 })],
    `purchase p-2 of com.example.bad: purchaseTime: ${ahead}`,
  ],
  [
    'a last void of the future',
    [appLine('com.example.void', 1_001, { lastVoidedTime: time + 60_001 })],
    `app com.example.void: lastVoidedTime: ${ahead}`,
  ],
])('%s rejects the import, naming the row', async (_, lines, problem) => {
  await clock.set(time);
  const text = exportText([...basis, ...lines]);
  expect(await refusal(database.connection, text)).toContain(`The ${problem}`);
  await clock.set(time + 1);
  if (problem.endsWith(ahead)) expect(await checked(database.connection, text)).toEqual([]);
});

test('in a sandbox the times of an app are compared with its clock in the export', async () => {
  await clock.set(time);
  const ofApp = { kind: 'clock', packageName, mode: 'frozen', rate: 1, realTime: time, appTime: time + 1 };
  const text = exportText([...basis, purchase({ purchaseTime: time + 60_001 }), ofApp]);
  expect(await checked(database.connection, text)).toEqual([]);
  const behind = text.replace(`"appTime":${time + 1}`, `"appTime":${time}`);
  await clock.set(time + dayMs);
  expect(await checked(database.connection, behind)).toEqual([
    `The purchase p-2 of com.example.bad: purchaseTime: ${ahead}`,
  ]);
});

test('a check of an import names each problem with its line or its row, counts all, and imports nothing', async () => {
  const lines = [
    ...basis,
    purchase({ orderId: 'o-1' }),
    'x',
    purchase({ purchaseId: 'p-3', productId: 'none' }),
    ...subscriptionLines(packageName, 's-1', { nextPaymentTime: time }),
    appLine('com.example.number', 999),
    productLine('com.example.number', 'coins'),
    purchaseLine('com.example.number', 'p-1'),
  ];
  const text = exportText(lines).replace(/\n\{"kind":"end".*/, '');
  const problems = [
    'Line 6: orderId: another purchase has the same',
    'Line 7: expected a JSON object',
    'Line 11: appNumber: another app has the same',
    'The export: expected {"kind":"end"} as its last line: it was cut off',
    'The purchase p-3 of com.example.bad: productId: expected the id of a product of type oneTime, got none',
    `The subscription s-1 of com.example.bad: nextPaymentTime: expected a time from ${quoteInstant(periodEnd)} to ${quoteInstant(periodEnd + (20 + 1) * dayMs + 16 * 3_600_000)}, got ${quoteInstant(time)}`,
  ];
  if (!isCluster) expect(await checked(database.connection, text)).toEqual(problems);
  expect(await reported(database.connection, text, { isCheck: true })).toMatchObject({ problemCount: 6 });
});
