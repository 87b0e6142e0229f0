// Files that are almost exports: bad lines, and rows that contradict each other. Each rejects the whole import.

import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { freshDatabase, useForFile } from '../../../../test/support/harness.ts';
import { isCluster } from '../../../../test/support/test-databases.ts';
import {
  appLine,
  appWithPurchase,
  eventLine,
  exportText,
  header,
  type Line,
  periodLine,
  productLine,
  purchaseLine,
  subscriptionLine,
} from '../../../../test/support/transfer/lines.ts';
import { expectUnchangedStore, refusal } from '../../../../test/support/transfer/transfer.ts';
import { quoteInstant } from '../../src/domain/text/quoted-value.ts';
import { lineBytesMax } from '../../src/operations/transfer/import-source.ts';

const time = 1_790_000_000_000;
const packageName = 'com.example.bad';

const database = await useForFile(freshDatabase());
const refusalOf = (text: string | Buffer) => refusal(database.connection, text);

expectUnchangedStore(database.connection);

const basis = appWithPurchase(packageName);
const purchase = (more: object) => purchaseLine(packageName, 'p-2', more);
const event = (more: object) => eventLine(packageName, 1, 'p-1', more);
const subscription = (more: object) => subscriptionLine(packageName, 's-1', more);

const fault = (more: object): Line => ({
  kind: 'fault',
  packageName,
  position: 0,
  putId: 'r',
  operation: 'consumePurchase',
  applied: 0,
  ...more,
});

const deep = '['.repeat(50_000) + ']'.repeat(50_000);
const action = (more: object): Line => ({
  ...{ kind: 'action', packageName, order: 1, time, operationId: 'reset', madeBy: 'operator:admin' },
  ...more,
});

/** Lines that are invalid by themselves, with their problems. */
const badLines: readonly (readonly [string | Line, string | RegExp])[] = [
  ['{"kind":', 'expected a JSON object'],
  [{ kind: 'order' }, /^kind: expected one of app, product, subscription, purchase, /],
  [productLine(packageName, 'gems', { type: 'one_time' }), 'type: expected "oneTime" or "subscription"'],
  ['x'.repeat(lineBytesMax + 1), `longer than ${lineBytesMax} bytes`],
  [purchase({ packageName: 'com.none' }), 'packageName: no earlier line has the app com.none'],
  [appLine(packageName, 1_001), 'packageName: an earlier line has this app'],
  [purchase({ currency: 'WON' }), 'currency: expected a currency of ISO 4217, got WON: did you mean KRW?'],
  [subscription({ timeZone: 'Mars/Olympus' }), 'timeZone: expected a name such as Europe/Berlin'],
  [subscription({ autoRenewing: false }), 'nextPaymentTime: expected none while autoRenewing is false'],
  [subscription({ consent: 'awaited' }), 'consent: expected none while autoRenewing is true'],
  [
    subscription({ autoRenewing: false, consent: 'withdrawn', terminatedTime: time }),
    'consent: expected none with terminatedTime',
  ],
  [
    subscription({
      ...{ autoRenewing: false, nextPaymentTime: undefined },
      ...{ consent: 'awaited', openChargeTime: time },
    }),
    'consent: expected none with openChargeTime',
  ],
  [event({ consent: 'awaited' }), 'consent: expected none in such an event'],
  [
    periodLine(packageName, 's-1', { expiryTime: time - 1 }),
    `expiryTime: expected ${quoteInstant(time)}, the startTime, or later, got ${quoteInstant(time - 1)}`,
  ],
  [event({ type: 'test' }), 'purchaseId: expected none in such an event'],
  [fault({ code: 9100 }), /^code: expected a code of consumePurchase /],
  [
    JSON.stringify(action({ detail: {} })).replace('"detail":{}', `"detail":{"a":${deep}}`),
    'detail: nested more than 8 deep',
  ],
  [JSON.stringify(fault({})).replace('"applied"', '"__proto__":{},"applied"'), 'unknown: __proto__'],
  [
    fault(Object.fromEntries(['\u001b[2J', '\u202eback', 'x'.repeat(100_000)].map((name) => [name, 1]))),
    /^unknown: \?\[2J, \?back, x{270,285}\.\.\.$/,
  ],
];

/** Lines that only the database rejects. */
const rejectedRows: readonly (readonly [Line, string | RegExp])[] = [
  [purchase({ orderId: 'o-1' }), 'orderId: another purchase has the same'],
  [purchase({ purchaseId: 'p-1' }), 'purchaseId: another purchase has the same'],
  [purchase({ voidedTime: time, voidReason: '1' }), 'the fields contradict each other: purchase_void_check'],
  [
    purchase({ firstPurchaseId: 'p-9', periodIndex: 0, startTime: time, expiryTime: time }),
    'the fields contradict each other: purchase_expiry_check',
  ],
  [
    appLine('com.example.here', 1_001),
    'packageName: expected an app that the store does not have, got com.example.here, which it has',
  ],
];

/** A line between valid ones. */
function textWith(bad: string | Line): string {
  const good = Array.from({ length: 20 }, (_, index) => purchaseLine(packageName, `q-${index}`));
  return exportText([...basis, ...good.slice(0, 10), bad, ...good.slice(10)]);
}
// The header is the first line.
const badLine = basis.length + 10 + 2;

test.each([...badLines, ...rejectedRows].map(([line, problem], index) => [index, problem, line] as const))(
  'a bad line (case %i) rejects the whole import and is reported as: %s',
  async (_, problem, line) => {
    const message = await refusalOf(textWith(line));
    if (isCluster && message.startsWith('Nothing was imported. Lines ')) return;
    const shown = message.replace(`Nothing was imported. Line ${badLine}: `, '');
    if (typeof problem === 'string') expect(shown).toBe(problem);
    else expect(shown).toMatch(problem);
  },
);

test('an import ends at its first chunk with a bad line, and lists the problems of that chunk in their order', async () => {
  const [rejected] = rejectedRows.at(-1) ?? [];
  const text = exportText([...basis, rejected as Line, ...badLines.map(([line]) => line)]);
  const whole = { pieceBytes: Buffer.byteLength(text) };
  const [title, ...problems] = (await refusal(database.connection, text, whole)).split('\n');
  expect(title).toBe(`Nothing was imported. ${badLines.length + 1} problems:`);
  expect(problems.map((problem) => Number(/^Line (\d+): /.exec(problem)?.[1]))).toEqual(
    Array.from({ length: badLines.length + 1 }, (_, index) => basis.length + 2 + index),
  );
  expect(await refusalOf(exportText([...basis, 'x', ...Array(3_000).fill('y')]))).toMatch(
    /^Nothing was imported\. (\d+ problems:\n)?Line 6: .*(\nLine \d+: .*)*$/,
  );
});

test('empty lines count in the reported number, and a line after the last one is rejected', async () => {
  const text = exportText([...basis, 'x']).replaceAll('\n', '\r\n\r\n');
  expect(await refusalOf(text)).toBe('Nothing was imported. Line 11: expected a JSON object');
  const late = JSON.stringify(purchase({}));
  expect(await refusalOf(`${exportText(basis)}${late}\n`)).toBe(
    'Nothing was imported. Line 7: follows the last line of the export',
  );
});

describe('files that are not an export for this database', () => {
  const noExport = 'This is not an OpenTill export';
  test.each<[string, string | Buffer, string]>([
    ['an empty one', '', 'There is nothing to import'],
    ['another file', 'hello\n', noExport],
    ['a compressed one', gzipSync(exportText([])), `${noExport}, or it is compressed: line 1 is not UTF-8.`],
    ['one endless line', 'x'.repeat(1_000_000), 'line 1 is longer than 262144 bytes.'],
    [
      'an older format',
      exportText([], { ...header, format: 1 }),
      'Expected an export of format 2, got format 1: import it with the build that wrote it.',
    ],
    ['a newer format', exportText([], { ...header, format: 9 }), 'import it with a newer OpenTill'],
    [
      'one of another environment',
      exportText([appLine('com.a', 77)], { ...header, environment: 'production' }),
      'use --from-environment production to import it',
    ],
    [
      'one without its last line',
      exportText(basis).replace(/\{"kind":"end".*/, ''),
      'Nothing was imported. The export: expected {"kind":"end"} as its last line: it was cut off',
    ],
    [
      'one that lacks a line',
      exportText(basis).replace(/.*"p-1".*\n/, ''),
      'Nothing was imported. The export: expected 4 lines, got 3',
    ],
  ])('importing %s is rejected', async (_, text, problem) => {
    expect(await refusalOf(text)).toContain(problem);
  });

  test('an export of production is rejected by a sandbox database', async () => {
    const production = { environment: 'production', fromEnvironment: 'production' } as const;
    const text = exportText([], { ...header, environment: 'production' });
    expect(await refusal(database.connection, text, production)).toContain(
      'This database belongs to the sandbox environment',
    );
  });
});
