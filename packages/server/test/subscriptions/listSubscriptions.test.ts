// Lists of subscriptions, in production and in the sandbox.

import { cancelSubscription } from '@opentill/contract/operator-api/cancelSubscription.ts';
import { listSubscriptions } from '@opentill/contract/operator-api/listSubscriptions.ts';
import type { ListedSubscription } from '@opentill/contract/operator-resources.ts';
import { expect, test } from 'vitest';
import {
  createTestApp,
  operatorOf,
  recordTestPurchase,
  supportKey,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callOperator, everyPage, type OperationCall } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import { stageEnv } from '../../../../test/support/renewals/renewal-stage.ts';
import { insertClock } from '../../../../test/support/stage.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';

type Query = NonNullable<OperationCall['query']>;

const states = ['active', 'autoPaymentOff', 'paymentOutstanding', 'expired', 'terminated'] as const;
const hourMs = 3_600_000;
const expiryTime = Date.UTC(2026, 3, 15, 12);

/** No charge falls due here. */
const env = stageEnv({ url: 'http://127.0.0.1:1/charge' });
const server = await useTestServer({ env, clock: new TestClock(testNow) });
const game = await createTestApp(server, 'com.example.game');
const shop = await createTestApp(server, 'com.example.shop');
await operatorOf(server).putProduct({
  packageName: game.packageName,
  productId: 'weekly',
  type: 'subscription',
  price: 99,
  currency: 'EUR',
});

const started = [
  { app: game, purchaseId: 'g1', buyerId: 'ann', orderId: 'bob' },
  { app: game, purchaseId: 'g2', buyerId: 'bob', productId: 'weekly' },
  { app: shop, purchaseId: 's1', buyerId: 'ann' },
  { app: game, purchaseId: 'g3', buyerId: 'ann' },
  { app: game, purchaseId: 'g4' },
];
for (const [index, { app, ...purchase }] of started.entries()) {
  const purchaseTime = testNow + index * hourMs;
  await server.clock.set(purchaseTime);
  await recordTestPurchase(server, app, { productId: 'monthly', purchaseTime, ...purchase });
}
const cancel = (firstPurchaseId: string) =>
  callOperator(server, cancelSubscription, { path: { ...game, firstPurchaseId } });
await cancel('g3');

async function listed(query: Query = {}): Promise<ListedSubscription[]> {
  const { status, body } = await callOperator(server, listSubscriptions, { query, key: supportKey });
  expect(status).toBe(200);
  return body.subscriptions;
}

const idsOf = (rows: readonly ListedSubscription[]) => rows.map((row) => row.firstPurchaseId);

/** Expects these subscriptions, each once, with pages of any size. */
async function expectListed(query: Query, ids: readonly string[]): Promise<void> {
  for (const pageSize of [1, 2, 200]) {
    const read = (page: object) =>
      callOperator(server, listSubscriptions, { query: { ...query, pageSize, ...page } });
    const rows = (await everyPage(read)).flatMap(({ subscriptions }) => subscriptions);
    expect(idsOf(rows)).toEqual(ids);
  }
}

const due = { nextPaymentBefore: expiryTime + 3 * hourMs };

test.each<[string, Query, string[]]>([
  ['those of all apps, the latest start first', {}, ['g4', 'g3', 's1', 'g2', 'g1']],
  ['those of an app', { packageName: 'com.example.game' }, ['g4', 'g3', 'g2', 'g1']],
  ['those of a product', { productId: 'weekly' }, ['g2']],
  ['those of a buyer in all apps', { buyerId: 'ann' }, ['g3', 's1', 'g1']],
  ['those of a buyer in one app', { buyerId: 'ann', packageName: 'com.example.shop' }, ['s1']],
  ['those of a buyer that are active', { buyerId: 'ann', state: 'active' }, ['s1', 'g1']],
  ['those whose payment is due before an instant, the earliest first', due, ['g1', 'g2', 's1']],
  ['those of an app whose payment is due', { ...due, packageName: 'com.example.game' }, ['g1', 'g2']],
  [
    'those whose payment is due from an instant on',
    { nextPaymentFrom: expiryTime + hourMs },
    ['g2', 's1', 'g4'],
  ],
  ['those whose payment is due between two', { ...due, nextPaymentFrom: expiryTime + hourMs }, ['g2', 's1']],
  ['none that awaits consent while it was not asked for', { awaitsConsent: 'true' }, []],
  ['that of a period', { id: 's1' }, ['s1']],
  ['that of an order and those of a buyer with the same id', { id: 'bob' }, ['g2', 'g1']],
  ['those of an id that are active', { id: 'ann', state: 'active' }, ['s1', 'g1']],
  ['none of an app that there is not', { packageName: 'com.example.none' }, []],
])('listSubscriptions returns %s, each once with pages of any size', async (_, query, ids) => {
  await server.clock.set(testNow + 5 * hourMs);
  await expectListed(query, ids);
});

test('a list by state has exactly the subscriptions that show this state, at every end of a paid period', async () => {
  for (const at of [0, 1, 2, 3, 4].flatMap((index) =>
    [-1, 0].map((ms) => expiryTime + index * hourMs + ms),
  )) {
    await server.clock.set(at);
    const all = await listed();
    for (const state of states) {
      const expected = idsOf(all.filter((row) => row.state === state)).sort();
      for (const scope of [{}, { packageName: 'com.example.game' }]) {
        const isInScope = (id: string) => !('packageName' in scope) || id.startsWith('g');
        expect(idsOf(await listed({ state, ...scope })).sort()).toEqual(expected.filter(isInScope));
      }
    }
  }
  expect((await cancel('g4')).body.state).toBe('terminated');
  expect(idsOf(await listed({ state: 'terminated' }))).toEqual(['g4']);
  await expectListed({ state: 'paymentOutstanding' }, ['g1', 'g2', 's1']);
  await expectListed({ state: 'paymentOutstanding', packageName: 'com.example.game' }, ['g1', 'g2']);
});

test('a payment that is outstanding is listed by the time of its retry, and before those that are due later', async () => {
  const retry = expiryTime + 20 * hourMs;
  const postpone = `update subscription set next_payment_time = $1 where first_purchase_id = 'g1'`;
  await query(server.connection, postpone, [retry]);
  await server.clock.set(expiryTime);
  await expectListed({ nextPaymentFrom: expiryTime + 2 * hourMs }, ['g1', 's1']);
  await expectListed({ nextPaymentFrom: expiryTime + 2 * hourMs, nextPaymentBefore: retry }, ['s1']);
  await expectListed({ nextPaymentFrom: retry }, ['g1']);
  await expectListed({ nextPaymentFrom: retry + 1 }, []);
});

test('in the sandbox each subscription shows its state by the clock of its app, and a state needs an app', async () => {
  const sandbox = await useTestServer({ clock: new TestClock(testNow) });
  const ahead = await createTestApp(sandbox, 'com.example.ahead');
  const usual = await createTestApp(sandbox, 'com.example.usual');
  for (const app of [ahead, usual]) {
    const purchase = { productId: 'monthly', purchaseId: app.packageName.slice(12), purchaseTime: testNow };
    await recordTestPurchase(sandbox, app, purchase);
  }
  await insertClock(sandbox, ahead, { mode: 'frozen', appTime: expiryTime });
  const list = (query: Query) => callOperator(sandbox, listSubscriptions, { query });
  const statesOf = (body: { subscriptions: ListedSubscription[] }) =>
    body.subscriptions.map((row) => [row.firstPurchaseId, row.state]);
  expect(statesOf((await list({})).body)).toEqual([
    ['usual', 'active'],
    ['ahead', 'paymentOutstanding'],
  ]);
  const outstanding = { state: 'paymentOutstanding' };
  expect(statesOf((await list({ ...outstanding, packageName: 'com.example.ahead' })).body)).toEqual([
    ['ahead', 'paymentOutstanding'],
  ]);
  expect((await list({ ...outstanding, packageName: 'com.example.usual' })).body.subscriptions).toEqual([]);
  for (const query of [outstanding, { nextPaymentBefore: testNow }, { awaitsConsent: 'true' }]) {
    const { status, body } = await list(query);
    expect([status, body.errors]).toEqual([400, [{ path: 'packageName', message: expect.any(String) }]]);
  }
});

test('a listed subscription has the fields of getSubscription without its periods, also after a void', async () => {
  await server.clock.set(testNow + 5 * hourMs);
  const path = { packageName: game.packageName, firstPurchaseId: 'g3' };
  const expectSame = async (state: string, voided: readonly number[]): Promise<void> => {
    const {
      productTitle: _,
      periods,
      attempts,
      events,
      now,
      cause,
      ...fields
    } = await operatorOf(server).getSubscription(path);
    expect([periods.length, fields.voidedPeriods, now]).toEqual([1, voided, testNow + 5 * hourMs]);
    expect(await listed({ buyerId: 'ann', state })).toEqual([fields]);
  };
  await expectSame('autoPaymentOff', []);
  await operatorOf(server).voidPurchase({ packageName: game.packageName, purchaseId: 'g3' });
  await expectSame('terminated', [0]);
});
