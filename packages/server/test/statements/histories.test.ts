// Random histories of an app whose months two servers close while they go on, and that is killed, reset and moved.

import { randomInt } from 'node:crypto';
import { PurchaseClient, verifyStatement } from '@opentill/client';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { afterAll, expect, test } from 'vitest';
import {
  newTestApp,
  operate,
  operatorOf,
  type TestApp,
  testNow,
  useForFile,
  useTwoTestServers,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { exported, imported } from '../../../../test/support/transfer/transfer.ts';
import { dayMs } from '../../src/domain/time.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';
import { closeMonths } from '../../src/store/months/month-closing.ts';
import { freeze } from '../app-clock/clock-calls.ts';
import { retainedEvents, type SeenEvent } from '../statistics/expected-days.ts';
import { putSubscription } from '../subscription-products.ts';

/** The number of random histories; npm run test:chaos plays more. */
const numRuns = Number(process.env['STATEMENT_HISTORIES'] ?? 12);

/** Each run of many plays other histories. */
const seed = Number(process.env['CHANCE_SEED'] ?? (numRuns > 12 ? randomInt(2 ** 31) : 1));

const timeZone = 'Pacific/Auckland';

/** A call of the operator API for the app. */
type Call = readonly [method: string, path: string, body?: unknown];

const acts = ['call', 'close', 'kill', 'ahead', 'move'] as const;
interface Act {
  /** What happens while the call is made; a void that follows `ahead` is dated a minute ahead of the clock. */
  readonly act: (typeof acts)[number];
  readonly call: Call;
}

const id = fc.nat(3).map((number) => `p-${number}`);
const fault = (outcome: string, times: number) => [{ operation: 'charge', outcome, times }];

const sale = fc
  .record(
    {
      purchaseId: id,
      productId: fc.constantFrom('coins', 'monthly', 'weekly'),
      price: fc.constantFrom(0, 7, 1_000),
      purchaseTime: fc.constantFrom(testNow - 40 * dayMs, testNow, testNow + 20 * dayMs),
    },
    { requiredKeys: ['purchaseId', 'productId'] },
  )
  .map((body): Call => ['POST', '/purchases', body]);

const voiding = fc
  .tuple(id, fc.constantFrom({}, { refundAmount: 0 }, { refundAmount: 3 }))
  .map(([purchaseId, body]): Call => ['POST', `/purchases/${purchaseId}/void`, body]);

const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 8, arbitrary: sale },
  { weight: 4, arbitrary: voiding },
  { weight: 1, arbitrary: id.map((purchaseId): Call => ['POST', `/purchases/${purchaseId}/consumption`]) },
  {
    weight: 8,
    arbitrary: fc
      .constantFrom('PT1M', 'PT5M', 'P9D', 'P20D', 'P1M')
      .map((by): Call => ['POST', '/clock/advance', { by }]),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom([], fault('declined', 1), fault('pending', 9))
      .map((body): Call => ['PUT', '/faults', body]),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('EUR', 'JPY')
      .map((currency): Call => ['PUT', '/products/coins', { type: 'oneTime', price: 5, currency }]),
  },
);

const history = fc.array(
  fc.oneof(
    { weight: 30, arbitrary: fc.record({ act: fc.constantFrom(...acts), call }) },
    { weight: 1, arbitrary: fc.constant<Act>({ act: 'close', call: ['POST', '/reset'] }) },
  ),
  { minLength: 20, maxLength: 30, size: 'max' },
);

const [first, second] = await useTwoTestServers({ env: { OPENTILL_TIME_ZONE: timeZone } });
const { connection } = first;
const databases = [
  await useForFile(openDatabase(connection, 2)),
  await useForFile(openDatabase(connection, 2)),
] as const;

/** A database whose backends are ended. */
const doomed = { ...connection, application_name: 'doomed' };

interface ClosedMonth {
  readonly month: string;
  readonly firstOrder: number;
  readonly lastOrder: number;
}

const endOf = (month: string): number =>
  Temporal.PlainDate.from(`${month}-01`).add({ months: 1 }).toZonedDateTime(timeZone).epochMilliseconds;

const seen = { months: 0, booked: new Set<string>() };

afterAll(() => {
  // The histories must contain every kind of entry.
  expect([...seen.booked].sort()).toEqual(['refunds', 'renewals', 'sales', 'trials']);
  expect(seen.months).toBeGreaterThan(numRuns);
});

class History {
  readonly #app: TestApp;
  #events = new Map<number, SeenEvent>();
  /** The rows of each closed month as they were first seen. */
  readonly #closed = new Map<string, string>();
  #orderBefore = 0;

  constructor(app: TestApp) {
    this.#app = app;
  }

  async take({ act, call }: Act, server: { readonly operatorUrl: string }): Promise<void> {
    const { packageName } = this.#app;
    if (act === 'ahead') await this.#voidsAhead();
    const [method, path, body] = call;
    const made = operate(server, method, `/apps/${packageName}${path}`, body === undefined ? {} : { body });
    if (act === 'close') await Promise.all([made, ...databases.map((database) => this.#close(database))]);
    else if (act === 'kill') await Promise.all([made, this.#kill()]);
    // Ignores the response, because only the rows matter.
    await made;
    if (path === '/reset') {
      this.#closed.clear();
      this.#events.clear();
    }
    if (act === 'move') await this.#move();
    await this.#expectUnchanged();
  }

  async expectMonths(): Promise<void> {
    await Promise.all(databases.map((database) => this.#close(database)));
    await this.#expectUnchanged();
    const { packageName, token: _, ...credentials } = this.#app;
    const client = new PurchaseClient({ host: first.publicUrl, packageName, ...credentials });
    const { statements } = await operatorOf(first).listStatements({ packageName, pageSize: 200 });
    const soFar = await operatorOf(first).getStatement({ packageName, name: 'soFar' });
    const all = [...statements.toReversed(), soFar];
    for (const statement of all)
      expect(await verifyStatement(client, statement)).toEqual({ outcome: 'proved' });
    const orders = all.flatMap(({ firstOrder, lastOrder }) =>
      Array.from({ length: lastOrder - firstOrder + 1 }, (_, index) => firstOrder + index),
    );
    expect(orders).toEqual([...this.#events.keys()]);
    expect(sumOf(all.flatMap(({ totals }) => totals))).toEqual(await this.#rows());
    seen.months += statements.length;
    for (const { totals } of all)
      for (const total of totals)
        for (const name of ['sales', 'trials', 'renewals', 'refunds'] as const)
          if (total[name] > 0) seen.booked.add(name);
  }

  /** Months stay as they were, follow each other, and end before the first event at or after their end. */
  async #expectUnchanged(): Promise<void> {
    const { packageName } = this.#app;
    for (const event of await retainedEvents({ connection, packageName }))
      this.#events.set(event.order, event);
    const rows = await query(
      connection,
      `select month, max(first_order)::float8 as "firstOrder", max(last_order)::float8 as "lastOrder",
        json_agg(m order by product_id, currency)::text as text
      from closed_month m where package_name = $1 group by 1 order by 1`,
      [packageName],
    );
    const orderNow = Math.max(0, ...this.#events.keys());
    expect(rows.map(({ month }) => month)).toEqual(expect.arrayContaining([...this.#closed.keys()]));
    for (const { text, ...row } of rows) {
      const { month, firstOrder, lastOrder } = row as unknown as ClosedMonth;
      const known = this.#closed.get(month);
      if (known === undefined) this.#expectBoundary({ month, firstOrder, lastOrder }, orderNow);
      else expect(text).toBe(known);
      this.#closed.set(month, String(text));
    }
    this.#orderBefore = orderNow;
  }

  /** The boundary of a month that closed during the last act. */
  #expectBoundary({ month, firstOrder, lastOrder }: ClosedMonth, orderNow: number): void {
    const later = [...this.#events.values()].find(
      ({ order, time }) => order >= firstOrder && time >= endOf(month),
    );
    if (later !== undefined && lastOrder === later.order - 1) return;
    expect(lastOrder).toBeLessThan(later?.order ?? Number.POSITIVE_INFINITY);
    expect(lastOrder).toBeGreaterThanOrEqual(Math.min(this.#orderBefore, orderNow));
  }

  async #close(database: (typeof databases)[number]): Promise<void> {
    const clock = new StoreClock(first.clock, 'sandbox');
    await closeMonths({ database, clock, timeZone }, this.#app.packageName);
  }

  /** Ends the connections of a server while it closes months. */
  async #kill(): Promise<void> {
    await using database = openDatabase(doomed, 2, { onIdleFailure: () => undefined });
    const closing = this.#close(database).catch(() => undefined);
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'doomed'`;
    for (let round = 0; round < 3; round += 1) await query(connection, end);
    await closing;
  }

  async #voidsAhead(): Promise<void> {
    const { packageName } = this.#app;
    const { now } = await operatorOf(first).getClock({ packageName });
    const text = 'update app_counter set last_voided_time = $2 where package_name = $1';
    await query(connection, text, [packageName, now + 59_000]);
  }

  /** The sums of all purchases by currency. */
  async #rows(): Promise<object> {
    const rows = await query(
      connection,
      `select currency, count(*)::float8 as sold, sum(price)::float8 as "soldAmount", count(voided_time)::float8 as refunds,
        coalesce(sum(coalesce(refund_amount, price)) filter (where voided_time is not null), 0)::float8 as "refundsAmount"
      from purchase where package_name = $1 group by currency`,
      [this.#app.packageName],
    );
    return Object.fromEntries(rows.map(({ currency, ...sums }) => [currency, sums]));
  }

  async #move(): Promise<void> {
    const { packageName } = this.#app;
    const text = await exported(connection, [packageName]);
    const tables = await query(
      connection,
      `select table_name as name from information_schema.tables t where table_type = 'BASE TABLE'
        and table_schema = 'public' and exists (select from information_schema.columns c
          where c.table_schema = 'public' and c.table_name = t.table_name and c.column_name = 'package_name')`,
    );
    for (const { name } of tables)
      await query(connection, `delete from ${name} where package_name = $1`, [packageName]);
    await imported(connection, text);
  }
}

type Total = Awaited<ReturnType<ReturnType<typeof operatorOf>['getStatement']>>['totals'][number];

function sumOf(totals: readonly Total[]): object {
  const sums: Record<string, Record<string, number>> = {};
  for (const total of totals) {
    sums[total.currency] ??= { sold: 0, soldAmount: 0, refunds: 0, refundsAmount: 0 };
    const sum = sums[total.currency] as Record<string, number>;
    const { sales, trials, renewals, salesAmount, renewalsAmount, refunds, refundsAmount } = total;
    const counts = { sold: sales + trials + renewals, soldAmount: salesAmount + renewalsAmount };
    for (const [name, value] of Object.entries({ ...counts, refunds, refundsAmount }))
      sum[name] = (sum[name] ?? 0) + value;
  }
  return sums;
}

test('each event is in one month, which never changes and which the feed proves, whatever happens in the meantime', async () => {
  process.stdout.write(`CHANCE_SEED=${seed}\n`);
  const play = async (acts: readonly Act[]) => {
    const app = await newTestApp(first);
    await freeze(first, app);
    await putSubscription(first, app, 'P1W');
    const played = new History(app);
    for (const [index, act] of acts.entries()) await played.take(act, index % 2 === 0 ? first : second);
    await played.expectMonths();
  };
  await fc.assert(fc.asyncProperty(history, play), { numRuns, seed, endOnFailure: numRuns > 12 });
});
