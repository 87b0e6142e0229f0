// Random histories of an app that two servers count while they go on.

import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import {
  newTestApp,
  operate,
  type TestApp,
  testNow,
  useForFile,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { countAll } from '../../../../test/support/statistics/counting.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { exported, imported } from '../../../../test/support/transfer/transfer.ts';
import { countStep, listUncountedApps } from '../../src/store/statistics/statistic-days.ts';
import { putSubscription } from '../subscription-products.ts';
import {
  activeDays,
  countNames,
  expectedDays,
  retainedEvents,
  type SeenEvent,
  storedDays,
} from './expected-days.ts';

/** The number of random histories; npm run test:chaos plays more. */
const numRuns = Number(process.env['STATISTIC_HISTORIES'] ?? 20);

/** Each run of many plays other histories. */
const seed = Number(process.env['CHANCE_SEED'] ?? (numRuns > 20 ? randomInt(2 ** 31) : 1));

const timeZone = 'Pacific/Auckland';

/** A call of the operator API for the app. */
type Call = readonly [method: string, path: string, body?: unknown];

type Act =
  | { readonly act: 'call'; readonly call: Call }
  /** Two servers count while a call is made. */
  | { readonly act: 'count'; readonly call: Call }
  /** The app is exported, removed and imported. */
  | { readonly act: 'move'; readonly hasHistory: boolean };

const id = fc.nat(2).map((number) => `p-${number}`);
const fault = (outcome: string, times: number) => [{ operation: 'charge', outcome, times }];

const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        purchaseId: id,
        productId: fc.constantFrom('coins', 'monthly', 'weekly', 'yearly'),
        price: fc.constantFrom(1, 1_000),
      })
      .map((body): Call => ['POST', '/purchases', body]),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({
        purchaseId: id,
        productId: fc.constantFrom('monthly', 'weekly', 'yearly'),
        firstPeriod: fc.constantFrom({ length: 'P7D', price: 0 }, { length: 'P1M', price: 2 }),
      })
      .map((body): Call => ['POST', '/purchases', body]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(id, fc.constantFrom({}, { refundAmount: 0 }, { refundAmount: 1 }))
      .map(([purchaseId, body]): Call => ['POST', `/purchases/${purchaseId}/void`, body]),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(id, fc.constantFrom('cancel', 'cancel', 'reactivate'))
      .map(([purchaseId, action]): Call => ['POST', `/subscriptions/${purchaseId}/${action}`]),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(id, fc.constantFrom(20, 65))
      .map(
        ([purchaseId, days]): Call => [
          ...(['POST', `/subscriptions/${purchaseId}/extend`] as const),
          { expiryTime: testNow + days * 86_400_000 },
        ],
      ),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom('PT2H', 'P1M', 'P1M').map((by): Call => ['POST', '/clock/advance', { by }]),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom([], fault('declined', 1), fault('declined', 9), fault('declined', 9), fault('pending', 3))
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
    { weight: 8, arbitrary: fc.record({ act: fc.constant('call' as const), call }) },
    { weight: 8, arbitrary: fc.record({ act: fc.constant('count' as const), call }) },
    { weight: 1, arbitrary: fc.constant<Act>({ act: 'call', call: ['POST', '/reset'] }) },
    { weight: 1, arbitrary: fc.boolean().map((hasHistory): Act => ({ act: 'move', hasHistory })) },
  ),
  { minLength: 14, maxLength: 24, size: 'max' },
);

const server = await useTestServer({ env: { OPENTILL_TIME_ZONE: timeZone } });
const { connection } = server;
const database = await useForFile(openDatabase(connection, 3));
const otherDatabase = await useForFile(openDatabase(connection, 3));

/** Which counts and sums were not 0. */
const seenCounts = new Set<string>();

afterAll(() => {
  // The histories must contain every kind of change.
  expect([...seenCounts].sort()).toEqual([...countNames].sort());
});

/** The rows that another store gives: of a subscription, only the last period, with its id. */
function withoutHistory(text: string): string {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const subscriptions = new Map(
    lines.filter(({ kind }) => kind === 'subscription').map((line) => [line.firstPurchaseId, line]),
  );
  const kept = lines.flatMap((line) => {
    if (['renewalAttempt', 'event', 'delivery', 'end'].includes(line.kind)) return [];
    const { firstPurchaseId } = line;
    const subscription = subscriptions.get(firstPurchaseId);
    if (subscription === undefined) return [line];
    const { openChargeTime: _, ...moved } = line;
    if (line.kind === 'subscription') return [{ ...moved, lastPurchaseId: firstPurchaseId }];
    if (line.purchaseId !== subscription.lastPurchaseId) return [];
    return [{ ...line, purchaseId: firstPurchaseId }];
  });
  return [...kept, { kind: 'end' }].map((line) => `${JSON.stringify(line)}\n`).join('');
}

class History {
  readonly #app: TestApp;
  /** The events that statistics can know, by their order. */
  readonly #known = new Map<number, SeenEvent>();

  constructor(app: TestApp) {
    this.#app = app;
  }

  async take(act: Act): Promise<void> {
    if (act.act === 'move') await this.#move(act.hasHistory);
    else await Promise.all([this.#call(act.call), ...(act.act === 'count' ? this.#counts() : [])]);
  }

  async expectCounted(): Promise<void> {
    await countAll(database, timeZone);
    const app = { connection, packageName: this.#app.packageName };
    const expected = await expectedDays(app, { timeZone, events: this.#known.values() });
    expect(await storedDays(app)).toEqual(expected);
    const active = await activeDays(app, timeZone);
    expect(active.counted).toEqual(active.expected);
    for (const counts of Object.values(expected))
      for (const name of Object.keys(counts)) seenCounts.add(name);
  }

  /** Ignores the response, because only the rows matter. */
  async #call([method, path, body]: Call): Promise<void> {
    const { packageName } = this.#app;
    await operate(server, method, `/apps/${packageName}${path}`, body === undefined ? {} : { body });
    if (path === '/reset') this.#known.clear();
    await this.#readEvents();
  }

  #counts(): Promise<void>[] {
    return [database, otherDatabase].map(async (server) => {
      const apps = await listUncountedApps(server, 1_000);
      const app = apps.find(({ packageName }) => packageName === this.#app.packageName);
      if (app !== undefined) await countStep(server, app, timeZone);
    });
  }

  async #readEvents(): Promise<void> {
    const { packageName } = this.#app;
    for (const event of await retainedEvents({ connection, packageName }))
      this.#known.set(event.order, event);
  }

  async #move(hasHistory: boolean): Promise<void> {
    const { packageName } = this.#app;
    const whole = await exported(connection, [packageName]);
    const text = hasHistory ? whole : withoutHistory(whole);
    const tables = await query(
      connection,
      `select table_name as name from information_schema.tables t where table_type = 'BASE TABLE'
        and table_schema = 'public' and exists (select from information_schema.columns c
          where c.table_schema = 'public' and c.table_name = t.table_name and c.column_name = 'package_name')`,
    );
    for (const { name } of tables)
      await query(connection, `delete from ${name} where package_name = $1`, [packageName]);
    await imported(connection, text);
    this.#known.clear();
    await this.#readEvents();
  }
}

test('statistics equal the rows after every history, whichever of two servers counts', async () => {
  process.stdout.write(`CHANCE_SEED=${seed}\n`);
  const play = async (acts: readonly Act[]) => {
    const app = await newTestApp(server);
    for (const period of ['P1W', 'P1Y'] as const) await putSubscription(server, app, period);
    const played = new History(app);
    for (const act of acts) await played.take(act);
    await played.expectCounted();
  };
  await fc.assert(fc.asyncProperty(history, play), {
    numRuns,
    seed,
    endOnFailure: numRuns > 20,
  });
});
