// Cancelling the auto-payment of all subscriptions of an app or of a product.

import type { Subscription } from '@opentill/client/operator';
import { cancelledAtOnceMax } from '@opentill/contract/limits.ts';
import { cancelSubscriptions } from '@opentill/contract/operator-api/cancelSubscriptions.ts';
import { listActions } from '@opentill/contract/operator-api/listActions.ts';
import { Client } from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import { adminKey, newTestApp, operatorOf, type TestApp, useForFile, whenAvailable } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { expectSound } from '../renewals/expect-sound.ts';
import {
  eventsOf,
  firstDue,
  shownSubscription,
  stageStart,
  startRenewalStage,
  subscribe,
} from '../renewals/renewal-stage.ts';
import { insertBlocks } from '../renewals/subscription-block.ts';

const stage = await useForFile(startRenewalStage());
const { server } = stage;
const operator = operatorOf(server);
let app: TestApp;

beforeEach(async () => {
  await stage.clock.set(stageStart);
  app = await newTestApp(server);
});

async function subscribeNew(productId = 'monthly'): Promise<string> {
  const purchaseId = stage.nextPurchaseId();
  await subscribe({ server, app }, purchaseId, { productId });
  return purchaseId;
}

function cancelAll(body: object = {}, key = adminKey) {
  return callOperator(server, cancelSubscriptions, { path: app, body, key });
}

/** Without what differs between two subscriptions. */
function termsOf({
  firstPurchaseId: _first,
  lastPurchaseId: _last,
  months: _months,
  cause: _cause,
  ...terms
}: Subscription) {
  return terms;
}

async function actionsOf(): Promise<readonly Record<string, unknown>[]> {
  const query = { packageName: app.packageName, operationId: 'cancelSubscriptions' };
  return (await callOperator(server, listActions, { query })).body.actions;
}

test('all subscriptions of a product are cancelled as by cancelSubscription, and no others', async () => {
  const { packageName } = app;
  const product = { type: 'subscription', price: 1, currency: 'EUR' } as const;
  await operator.putProduct({ packageName, productId: 'weekly', ...product });
  const ids = [await subscribeNew(), await subscribeNew(), await subscribeNew()];
  const weekly = await subscribeNew('weekly');
  const firstPurchaseId = await subscribeNew();
  const one = await operator.cancelSubscription({ packageName, firstPurchaseId, reason: 'system' });
  const why = { reasonCode: 'malfunction', note: 'The game closes', ticket: 'T-1' } as const;
  const { status, body } = await cancelAll({ productId: 'monthly', ...why });
  expect([status, body]).toEqual([200, { cancelled: 3, remaining: 0 }]);
  for (const id of ids) {
    expect(termsOf(await shownSubscription({ server, app }, id))).toEqual(termsOf(one));
    expect(await eventsOf(stage, id)).toEqual(['started', 'auto_payment_cancelled']);
  }
  expect((await shownSubscription({ server, app }, weekly)).state).toBe('active');
  const madeBy = 'operator:admin';
  const action = { subject: 'monthly', detail: '3 of product monthly', madeBy, ...why };
  expect(await actionsOf()).toMatchObject([action]);
  expect((await cancelAll({ reasonCode: 'customerRequest' })).body).toEqual({ cancelled: 1, remaining: 0 });
  expect((await shownSubscription({ server, app }, weekly)).cancelReason).toBe('customer');
  expect((await cancelAll()).body).toEqual({ cancelled: 0, remaining: 0 });
  expect(await actionsOf()).toMatchObject([{ detail: '1 of all products' }, action]);
});

test('subscriptions with an outstanding payment end at once', async () => {
  const id = await subscribeNew();
  await stage.clock.set(firstDue + 1);
  expect((await cancelAll()).body).toEqual({ cancelled: 1, remaining: 0 });
  const shown = await shownSubscription({ server, app }, id);
  expect(shown).toMatchObject({ state: 'terminated', terminatedTime: firstDue + 1 });
});

test('a call cancels at most 500 subscriptions and returns how many remain', async () => {
  const count = 2 * cancelledAtOnceMax + 1;
  const client = new Client(server.connection);
  await client.connect();
  const { packageName } = app;
  await insertBlocks(client, [{ packageName, idPrefix: 'block-', count, lastDue: firstDue, apartMs: 1 }]);
  await client.end();
  const answers = [];
  for (let call = 0; call < 4; call += 1) answers.push((await cancelAll({ productId: 'monthly' })).body);
  expect(answers).toEqual([
    { cancelled: cancelledAtOnceMax, remaining: cancelledAtOnceMax + 1 },
    { cancelled: cancelledAtOnceMax, remaining: 1 },
    { cancelled: 1, remaining: 0 },
    { cancelled: 0, remaining: 0 },
  ]);
  const events = await query(
    server.connection,
    `select count(*)::int as count, count(distinct purchase_id)::int as purchases from event
      where package_name = $1 and type = 'subscription.auto_payment_cancelled'`,
    [packageName],
  );
  expect(events).toEqual([{ count, purchases: count }]);
  expect((await actionsOf()).map(({ detail }) => detail)).toEqual([
    '1 of product monthly',
    '500 of product monthly',
    '500 of product monthly',
  ]);
});

test('while renewals run, every subscription is cancelled once and every paid month is kept', async () => {
  const ids: string[] = [];
  for (let made = 0; made < 40; made += 1) ids.push(await subscribeNew());
  stage.gateway.decide(({ firstPurchaseId }) => ({
    outcome: Number(firstPurchaseId.slice(2)) % 3 === 0 ? 'declined' : 'paid',
  }));
  await stage.clock.set(firstDue);
  const cancelling = Promise.all(Array.from({ length: 4 }, () => whenAvailable(() => cancelAll())));
  await stage.job.runOnce();
  const answers = await cancelling;
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await whenAvailable(() => cancelAll())).body.remaining).toBe(0);
  await stage.job.runOnce();
  for (const id of ids) {
    const events = await eventsOf(stage, id);
    const cancels = events.filter((type) => ['auto_payment_cancelled', 'terminated'].includes(type));
    expect(cancels).toHaveLength(1);
    expect((await shownSubscription({ server, app }, id)).autoRenewing).toBe(false);
  }
  await expectSound(stage);
});

test.each<[string, object, number, string]>([
  ['a product that the app does not have', { productId: 'gems' }, 400, '/productId'],
  ['a product id with other characters', { productId: 'a b' }, 400, '/productId'],
  ['a reason code that does not exist', { reasonCode: 'boredom' }, 400, '/reasonCode'],
])('%s is rejected and cancels nothing', async (_, body, status, path) => {
  const id = await subscribeNew();
  const answer = await cancelAll(body);
  expect([answer.status, answer.body.errors]).toEqual([status, [{ path, message: expect.any(String) }]]);
  expect((await shownSubscription({ server, app }, id)).state).toBe('active');
});
