// Subscriptions of every period, and those with a first period of its own: what is sold, shown, renewed and counted.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { extendSubscription } from '@opentill/contract/operator-api/extendSubscription.ts';
import { getStatistics } from '@opentill/contract/operator-api/getStatistics.ts';
import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { putProduct } from '@opentill/contract/operator-api/putProduct.ts';
import { recordPurchase } from '@opentill/contract/operator-api/recordPurchase.ts';
import type { Period } from '@opentill/contract/periods.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  callPurchaseApi,
  newTestApp,
  operate,
  type TestApp,
  testNow,
  useForFile,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callDeveloper, callOperator } from '../../../../test/support/http/checked-call.ts';
import { countAll } from '../../../../test/support/statistics/counting.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { advance, freeze } from '../app-clock/clock-calls.ts';
import { walkEvents } from '../events/feed-calls.ts';
import { putSubscription, subscriptionProducts } from '../subscription-products.ts';

const server = await useTestServer();
const database = await useForFile(openDatabase(server.connection, 2));
const at = (day: string) => Date.parse(`${day}T12:00:00Z`);

let app: TestApp;

beforeEach(async () => {
  app = await newTestApp(server);
  await freeze(server, app);
});

const record = (body: object) => callOperator(server, recordPurchase, { path: app, body });

async function sell(period: Period, more: object = {}) {
  const productId = await putSubscription(server, app, period);
  const { status, body } = await record({ productId, purchaseId: 'S-1', ...more });
  expect(status).toBe(201);
  return body;
}

async function lastDetails() {
  const path = `/last-recurring-details/S-1/${app.packageName}`;
  return (await callPurchaseApi(server, { token: app.token, path })).body;
}

async function detailsOf(purchaseId: string) {
  const path = `/recurring-details/${purchaseId}/${app.packageName}`;
  return (await callPurchaseApi(server, { token: app.token, path })).body;
}

const shown = async () =>
  (await callOperator(server, getSubscription, { path: { ...app, firstPurchaseId: 'S-1' } })).body;

test.each([
  ['P1W', ['2026-03-22', '2026-03-29', '2026-04-05']],
  ['P1M', ['2026-04-15', '2026-05-15', '2026-06-15']],
  ['P3M', ['2026-06-15', '2026-09-15', '2026-12-15']],
  ['P6M', ['2026-09-15', '2027-03-15', '2027-09-15']],
  ['P1Y', ['2027-03-15', '2028-03-15', '2029-03-15']],
] as const)('a subscription of %s renews at the end of each of its periods', async (period, ends) => {
  const [first = '', second = ''] = ends;
  expect(await sell(period)).toMatchObject({ startTime: testNow, expiryTime: at(first) });
  await advance(server, app, { to: at(second) });
  const { periods, attempts, ...subscription } = await shown();
  expect(periods.map(({ expiryTime }: { expiryTime: number }) => expiryTime)).toEqual(ends.map(at));
  expect(subscription).toMatchObject({ period, price: 499, renewalPrice: 499, state: 'active' });
  expect(attempts).toHaveLength(2);
});

test('a year that has just begun is extended by as many days as any other period', async () => {
  const { expiryTime } = await sell('P1Y');
  const body = { expiryTime: expiryTime + 366 * 86_400_000 };
  const path = { ...app, firstPurchaseId: 'S-1' };
  expect((await callOperator(server, extendSubscription, { path, body })).body).toMatchObject(body);
});

describe('a trial', () => {
  const trial = { firstPeriod: { length: 'P7D', price: 0 } };

  test('costs nothing until its end, and is then charged at the renewal price for a whole period', async () => {
    await sell('P1Y', trial);
    expect(await detailsOf('S-1')).toMatchObject({
      startTime: testNow,
      expiryTime: at('2026-03-22'),
      price: 0,
    });
    expect(await shown()).toMatchObject({ period: 'P1Y', firstPeriod: 'P7D', price: 0, renewalPrice: 499 });
    await advance(server, app, { to: at('2026-03-22') });
    const { lastPurchaseId, ...last } = await lastDetails();
    expect(last).toMatchObject({
      startTime: at('2026-03-22'),
      expiryTime: at('2027-03-22'),
      autoRenewing: true,
    });
    expect([(await detailsOf(lastPurchaseId)).price, (await detailsOf('S-1')).price]).toEqual([499, 0]);
    const [started, renewed] = await walkEvents(server, app);
    expect(started).toMatchObject({
      type: 'subscription.started',
      price: 0,
      renewalPrice: 499,
      record: { price: 0 },
    });
    expect(renewed).toMatchObject({ type: 'subscription.renewed', price: 499, record: { price: 499 } });
    expect(renewed).not.toHaveProperty('renewalPrice');
  });

  test('counts as started and not as revenue, and its first charge as a renewal', async () => {
    await sell('P1M', trial);
    await advance(server, app, { to: at('2026-03-22') });
    await countAll(database);
    const range = { packageName: app.packageName, from: '2026-03-01', to: '2026-03-31', by: 'month' };
    const { body } = await callOperator(server, getStatistics, { query: range });
    expect(body.rows[0]).toMatchObject({
      ...{ sold: 1, trials: 1, started: 1, startedAmount: 0, renewedFirst: 1, soldAmount: 499 },
    });
  });

  test('that is cancelled lasts until its end and then expires', async () => {
    await sell('P1M', trial);
    await operate(server, 'POST', `/apps/${app.packageName}/subscriptions/S-1/cancel`, { body: {} });
    expect(await lastDetails()).toMatchObject({ expiryTime: at('2026-03-22'), autoRenewing: false });
    await advance(server, app, { to: at('2026-03-22') });
    expect((await shown()).state).toBe('expired');
  });

  test('that is voided ends the subscription', async () => {
    await sell('P1M', trial);
    await operate(server, 'POST', `/apps/${app.packageName}/purchases/S-1/void`, { body: {} });
    expect(await shown()).toMatchObject({ state: 'terminated', expiryTime: testNow });
  });

  test('whose first charge is declined is retried by the schedule, as any other period', async () => {
    await sell('P1W', trial);
    const faults = [{ operation: 'charge', outcome: 'declined', times: 1 }];
    await callDeveloper(server, developerApi.putFaults, { key: app.token, body: faults });
    await advance(server, app, { to: at('2026-03-23') });
    const { state, attempts } = await shown();
    expect([state, attempts.map(({ outcome }: { outcome: string }) => outcome)]).toEqual([
      'active',
      ['paid', 'declined'],
    ]);
  });
});

describe('recordPurchase', () => {
  test.each([
    ['the price of the product', {}, { price: 499, renewalPrice: 499 }],
    ['a price of its own', { price: 300 }, { price: 300, renewalPrice: 300 }],
    ['an introductory price', { price: 100, renewalPrice: 450 }, { price: 100, renewalPrice: 450 }],
    [
      'an introductory period',
      { firstPeriod: { length: 'P3M', price: 100 }, renewalPrice: 450 },
      { price: 100, renewalPrice: 450, firstPeriod: 'P3M' },
    ],
  ])(
    'sells a subscription at %s, which its later periods and an equal product keep',
    async (_, sent, sold) => {
      await sell('P1M', sent);
      const path = { ...app, productId: subscriptionProducts.P1M };
      const product = { type: 'subscription', period: 'P1M', price: 999, currency: 'EUR' };
      expect((await callOperator(server, putProduct, { path, body: product })).status).toBe(200);
      expect(await shown()).toMatchObject(sold);
      await advance(server, app, { by: 'P4M' });
      const { lastPurchaseId } = await lastDetails();
      expect((await detailsOf(lastPurchaseId)).price).toBe(sold.renewalPrice);
    },
  );

  test('compares the first period and the renewal price of a repeated call', async () => {
    const terms = { firstPeriod: { length: 'P7D', price: 0 }, renewalPrice: 400 };
    await sell('P1M', terms);
    const again = { productId: 'monthly', purchaseId: 'S-1' };
    for (const same of [terms, { firstPeriod: terms.firstPeriod }]) {
      expect((await record({ ...again, ...same })).status).toBe(200);
    }
    for (const [field, other] of [
      ['firstPeriod', { renewalPrice: 400 }],
      ['firstPeriod', { ...terms, firstPeriod: { length: 'P1W', price: 0 } }],
      ['firstPeriod', { ...terms, firstPeriod: { length: 'P7D', price: 1 } }],
      ['renewalPrice', { ...terms, renewalPrice: 499 }],
    ] as const) {
      const { status, body } = await record({ ...again, ...other });
      expect([status, body.errors]).toMatchObject([409, [{ path: `/${field}` }]]);
    }
    await record({ productId: 'coins', purchaseId: 'C-1' });
    expect((await record({ productId: 'coins', purchaseId: 'C-1', renewalPrice: 499 })).status).toBe(409);
  });

  test.each<[string, object, string]>([
    [
      'a first period of a one-time product',
      { productId: 'coins', firstPeriod: { length: 'P7D', price: 0 } },
      '/firstPeriod',
    ],
    ['a renewal price of a one-time product', { productId: 'coins', renewalPrice: 1 }, '/renewalPrice'],
    ['two prices of the first period', { price: 1, firstPeriod: { length: 'P7D', price: 0 } }, '/price'],
    ...['P2D', 'P366D', 'P53W', 'P13M', 'P2Y', 'PT72H', 'P1M7D', '7'].map(
      (length) =>
        [
          `a first period of ${length}`,
          { firstPeriod: { length, price: 0 } },
          '/firstPeriod/length',
        ] satisfies [string, object, string],
    ),
  ])('rejects %s', async (_, body, path) => {
    const response = await record({ productId: 'monthly', ...body });
    expect([response.status, response.body.errors]).toMatchObject([400, [{ path }]]);
  });

  test.each(['P3D', 'P365D', 'P52W', 'P12M', 'P1Y'])('sells a first period of %s', async (length) => {
    await sell('P1M', { firstPeriod: { length, price: 0 } });
  });
});

describe('putProduct', () => {
  const path = () => ({ ...app, productId: 'club' });
  const put = (body: object) => callOperator(server, putProduct, { path: path(), body });
  const product = { type: 'subscription', price: 499, currency: 'EUR' };

  test('keeps the period of a product, P1M by default', async () => {
    expect((await put(product)).body).toMatchObject({ period: 'P1M' });
    expect((await put({ ...product, period: 'P1M' })).status).toBe(200);
    const { status, body } = await put({ ...product, period: 'P1Y' });
    expect([status, body.errors]).toMatchObject([
      409,
      [{ path: '/period', message: 'expected P1M, the period of the existing product club, got P1Y' }],
    ]);
  });

  test('rejects the period of a one-time product', async () => {
    const { status, body } = await put({ ...product, type: 'oneTime', period: 'P1M' });
    expect([status, body.errors]).toMatchObject([400, [{ path: '/period' }]]);
  });
});
