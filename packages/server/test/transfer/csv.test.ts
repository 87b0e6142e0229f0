// CSV files of another store are imported as the same rows as JSON lines.

import type { Period } from '@opentill/contract/periods.ts';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { freshDatabase, useForFile } from '../../../../test/support/harness.ts';
import { appLine, exportText, type Line } from '../../../../test/support/transfer/lines.ts';
import { exported, imported } from '../../../../test/support/transfer/transfer.ts';
import { periodLengths, periods } from '../domain/subscriptions/sold-periods.ts';
import { type CsvRecord, type CsvStyle, csvText, importedCsv, importTime } from './csv-files.ts';

const { connection } = await useForFile(freshDatabase());

const timeZone = 'Asia/Seoul';
const minute = 60_000;
const time = fc.integer({ min: 1_600_000_000_000, max: importTime });

/** By the calendar of the store, whose clocks never change. */
function later(start: number, duration: Temporal.DurationLike | string): number {
  const zoned = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(timeZone);
  return zoned.add(duration).epochMilliseconds;
}

/** So many weeks or months. */
function times(period: Period, count: number): Temporal.DurationLike {
  const length: { readonly weeks?: number; readonly months?: number } = periodLengths[period];
  return { weeks: (length.weeks ?? 0) * count, months: (length.months ?? 0) * count };
}

const text = fc.string({ unit: fc.constantFrom(...'aü€"\';,\n\r\t= '), minLength: 1, maxLength: 12 });
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

/** A record of a table of another store, and the fields of its line in an export. */
interface Pair {
  readonly record: CsvRecord;
  readonly fields: CsvRecord;
}

const defined = (values: CsvRecord): CsvRecord =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const sold = fc.record({
  buyerId: optional(fc.constantFrom('ann', 'ben;1')),
  developerPayload: optional(text),
  ownPrice: optional(fc.nat(9_999)),
});
type Sold = typeof sold extends fc.Arbitrary<infer Value> ? Value : never;

const productPrice = 1_200;
const soldFields = ({ ownPrice, developerPayload = '', ...others }: Sold): CsvRecord =>
  defined({ ...others, developerPayload, price: ownPrice ?? productPrice, currency: 'KRW' });
const soldRecord = ({ ownPrice, ...others }: Sold): CsvRecord => defined({ ...others, price: ownPrice });

const coins = fc.record({
  ...{ sold, purchaseTime: time, isVoid: fc.boolean(), isConsumed: fc.boolean() },
  voidReason: optional(fc.constantFrom('0', '1')),
});

/** The voids of an app have orders in their sequence in the files. */
interface Orders {
  voids: number;
}

const nextVoid = (orders: Orders): number => {
  orders.voids += 1;
  return orders.voids;
};

function coinsPair(
  {
    sold: of,
    purchaseTime,
    isVoid,
    isConsumed,
    voidReason,
  }: typeof coins extends fc.Arbitrary<infer V> ? V : never,
  index: number,
  orders: Orders,
): Pair {
  const own = defined({
    ...{ purchaseId: `p-${index}`, productId: 'coins', purchaseTime },
    ...(index % 2 === 0 && { orderId: `order ${index}` }),
    ...(isConsumed && { consumedTime: purchaseTime }),
    ...(isVoid && { voidedTime: purchaseTime }),
  });
  const reasons = isVoid ? { voidReason: voidReason ?? '0', voidOrder: nextVoid(orders) } : {};
  return {
    record: { ...own, ...soldRecord(of), ...(isVoid && defined({ voidReason })) },
    fields: { ...own, ...soldFields(of), ...reasons },
  };
}

const club = fc.record({
  ...{ sold, firstStartTime: fc.integer({ min: 1_450_000_000_000, max: 1_560_000_000_000 }) },
  ...{
    period: periods,
    firstPeriod: optional(fc.constantFrom('P3D', 'P10D')),
    renewalPrice: optional(fc.nat(99)),
  },
  ...{ paid: fc.integer({ min: 1, max: 6 }), hasAllPeriods: fc.boolean(), autoRenewing: fc.boolean() },
  ...{ isVoid: fc.boolean(), isCancelled: fc.boolean(), cancelReason: optional(fc.constantFrom('0', '1')) },
  extraMs: fc.constantFrom(0, 0, minute, 5 * 86_400_000),
});
type Club = typeof club extends fc.Arbitrary<infer Value> ? Value : never;

interface ClubPairs {
  readonly subscription: Pair;
  readonly periods: readonly Pair[];
}

function clubPairs(of: Club, index: number, orders: Orders): ClubPairs {
  const { firstStartTime, period, firstPeriod, paid } = of;
  const sold =
    firstPeriod === undefined ? of.sold : { ...of.sold, ownPrice: of.sold.ownPrice ?? productPrice };
  // After a first period of its own, which may be a trial.
  const renewalPrice = of.renewalPrice ?? (firstPeriod && productPrice);
  const { hasAllPeriods, isVoid, isCancelled, cancelReason } = of;
  // Days more would make a trial of three days one of a week.
  const extraMs = firstPeriod === undefined || paid > 1 ? of.extraMs : Math.min(of.extraMs, minute);
  const firstEnd = later(firstStartTime, firstPeriod ?? period);
  /** When so many periods have ended. */
  const endOf = (count: number): number => {
    if (firstPeriod !== undefined && count > 0) return later(firstEnd, times(period, count - 1));
    return later(firstStartTime, times(period, count));
  };
  const firstPurchaseId = `s-${index}`;
  const expiryTime = endOf(paid) + extraMs;
  const lastStartTime = endOf(paid - 1);
  const voidedTime = isVoid ? lastStartTime + minute : undefined;
  const common = { firstPurchaseId, productId: period };
  const paidPeriodOf = (paidPeriod: number): Pair => {
    const isLast = paidPeriod === paid - 1;
    const startTime = endOf(paidPeriod);
    const renewal = paidPeriod > 0 && renewalPrice !== undefined && { price: renewalPrice };
    const own = {
      ...common,
      purchaseId: paidPeriod === 0 || !hasAllPeriods ? firstPurchaseId : `${firstPurchaseId}-${paidPeriod}`,
      ...{ startTime, purchaseTime: startTime },
      expiryTime: isLast ? expiryTime : endOf(paidPeriod + 1),
    };
    const isVoidOne = isLast && voidedTime !== undefined;
    const voided = isVoidOne && { voidedTime, voidReason: '0', voidOrder: nextVoid(orders) };
    return {
      record: { ...own, ...soldRecord(sold), ...renewal, ...(isVoidOne && { voidedTime }) },
      fields: {
        ...{ ...own, ...soldFields(sold), ...renewal, periodIndex: paidPeriod, ...voided },
        ...(isVoidOne && { expiryTime: voidedTime }),
      },
    };
  };
  const periods = Array.from({ length: paid }, (_, paidPeriod) => paidPeriod);
  const kept = hasAllPeriods ? periods.map(paidPeriodOf) : [paidPeriodOf(paid - 1)];
  const cancelledTime = isCancelled ? firstStartTime : undefined;
  const autoRenewing = of.autoRenewing && !isCancelled;
  const reason = isCancelled ? (cancelReason ?? '0') : undefined;
  const end = voidedTime ?? expiryTime;
  const renews = autoRenewing && !isVoid;
  return {
    periods: kept,
    subscription: {
      record: defined({
        ...{ ...common, firstPeriod, renewalPrice: of.renewalPrice },
        ...{ firstStartTime, expiryTime, autoRenewing, ...soldRecord(sold) },
        ...(extraMs > 0 && !hasAllPeriods && { lastStartTime }),
        ...{ cancelledTime, ...(isCancelled && { cancelReason }) },
        ...(!hasAllPeriods && { voidedTime }),
      }),
      fields: defined({
        ...{
          ...common,
          firstPeriod,
          renewalPrice,
          period,
          ...soldFields(sold),
          firstStartTime,
          timeZone,
          expiryTime: end,
          autoRenewing: renews,
        },
        ...{ cancelledTime: voidedTime ?? cancelledTime, cancelReason: isVoid ? '0' : reason },
        ...{ lastPeriodIndex: paid - 1, lastPurchaseId: kept.at(-1)?.fields['purchaseId'], lastStartTime },
        ...{ terminatedTime: voidedTime, nextPaymentTime: renews ? end : undefined },
        expiryEventWritten: !renews && end <= importTime,
      }),
    },
  };
}

const style: fc.Arbitrary<CsvStyle> = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t'),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  ...{ isMarked: fc.boolean(), quotesAll: fc.boolean(), emptyRows: fc.nat(2) },
  instant: fc.constantFrom<(ms: number) => string>(
    String,
    (ms) => new Date(ms).toISOString(),
    // As psql writes it.
    (ms) => `${new Date(ms + 9 * 3_600_000).toISOString().replace('T', ' ').slice(0, -1)}+09`,
  ),
});

let apps = 0;

/** The lines of an app, without what tells one app from another. */
async function rowsOf(packageName: string): Promise<string[]> {
  const lines = (await exported(connection, [packageName])).trimEnd().split('\n').slice(1, -1);
  return lines
    .map((line) => line.replaceAll(packageName, 'app').replace(/"appNumber":\d+,/, ''))
    .map((line) => line.replace(/"clientSecretHash":"\w+"/, ''))
    .sort();
}

test('records in CSV files and in JSON lines are imported as the same rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(coins, { maxLength: 4 }),
      fc.array(club, { maxLength: 3 }),
      style,
      fc.boolean(),
      async (purchases, clubs, written, isReversed) => {
        apps += 1;
        const orders: Orders = { voids: 0 };
        const products = [
          { productId: 'coins', price: productPrice, currency: 'KRW', title: 'Coins; many' },
          ...Object.keys(periodLengths).map((period) => ({
            ...{ productId: period, price: productPrice, currency: 'KRW', type: 'subscription', period },
          })),
        ];
        const pairs = purchases.map((purchase, index) => coinsPair(purchase, index, orders));
        // The periods among the purchases precede those that follow from subscriptions.
        const byFile = clubs.toSorted((a, b) => Number(b.hasAllPeriods) - Number(a.hasAllPeriods));
        const subscriptions = byFile.map((one, index) => clubPairs(one, index, orders));
        const periods = subscriptions.flatMap((one, index) =>
          byFile[index]?.hasAllPeriods ? one.periods : [],
        );
        const files = {
          'a.csv': csvText(products, written),
          'b.csv': csvText(
            [...pairs, ...periods].map(({ record }) => record),
            written,
          ),
          'c.csv': csvText(
            subscriptions.map(({ subscription }) => subscription.record),
            written,
          ),
        };
        const given = Object.entries(files).filter(([, content]) => /\w/.test(content));
        const packageName = `com.example.csv${apps}`;
        await importedCsv(connection, Object.fromEntries(isReversed ? given.reverse() : given), {
          packageName,
        });
        const other = `com.example.lines${apps}`;
        const line = (kind: string, fields: CsvRecord): Line => ({ kind, packageName: other, ...fields });
        const times = { createdAt: importTime, updatedAt: importTime };
        await imported(
          connection,
          exportText([
            appLine(other, apps, { createdAt: importTime }),
            ...products.map((one) => line('product', { type: 'oneTime', ...one, ...times })),
            ...subscriptions.map(({ subscription }) => line('subscription', subscription.fields)),
            ...pairs.map(({ fields }) => line('purchase', fields)),
            ...subscriptions.flatMap((one) => one.periods.map(({ fields }) => line('purchase', fields))),
          ]),
        );
        expect(await rowsOf(packageName)).toEqual(await rowsOf(other));
      },
    ),
    { numRuns: 15 },
  );
});

test('the file of a spreadsheet is read, in UTF-16 as well', async () => {
  const products = 'productId;price;currency\r\ncoins;1200;KRW\r\n';
  // Like Excel in German, with empty columns and rows where values have been.
  const sold = [
    'purchaseId;productId;purchaseTime;developerPayload;consumedTime;;',
    'p-1;coins;"2026-01-26T10:00:00+09:00";"say ""hi""";;;',
    'p-2;coins;2026-01-26 01:00:00.5Z;"one\ntwo; three";1790000000000;;',
    ';;;;;;',
    ';;;;;;',
  ].join('\r\n');
  const encodings = {
    utf8: Buffer.from(`\ufeff${sold}`),
    utf16: Buffer.from(`\ufeff${sold.replaceAll(';', '\t')}`, 'utf16le'),
  };
  for (const [name, bytes] of Object.entries(encodings)) {
    const packageName = `com.example.${name}`;
    await importedCsv(connection, { 'products.csv': products, 'sold.csv': bytes }, { packageName });
    const rows = (await rowsOf(packageName)).filter((row) => row.includes('"purchaseId"'));
    expect(rows.map((row) => JSON.parse(row))).toMatchObject([
      { purchaseId: 'p-1', purchaseTime: Date.parse('2026-01-26T01:00Z'), developerPayload: 'say "hi"' },
      { purchaseId: 'p-2', purchaseTime: Date.parse('2026-01-26T01:00:00.500Z'), consumedTime: importTime },
    ]);
  }
});
