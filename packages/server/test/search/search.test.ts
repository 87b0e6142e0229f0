// search: records of all apps by an id or the start of a name.

import { search } from '@opentill/contract/operator-api/search.ts';
import type { SearchHit } from '@opentill/contract/search.ts';
import { describe, expect, test } from 'vitest';
import {
  callPurchaseApi,
  createTestApp,
  operate,
  operatorOf,
  recordTestPurchase,
  supportKey,
  testNow,
  useTestServer,
} from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { openJob } from '../webhooks/webhook-stage.ts';

const server = await useTestServer();
const operator = operatorOf(server);
const game = await createTestApp(server, 'com.example.game');
const shop = await createTestApp(server, 'com.example.shop');
await recordTestPurchase(server, game, { purchaseId: 'shared', orderId: 'order 1', buyerId: 'Ann O’Neil' });
await recordTestPurchase(server, shop, { purchaseId: 'shared', orderId: 'order 2', buyerId: 'Ann O’Neil' });
const [event] = (await operator.listEvents({ packageName: game.packageName })).events;
if (event === undefined) throw new Error('The purchase has no event.');

async function hitsFor(q: string): Promise<SearchHit[]> {
  const { status, body } = await callOperator(server, search, { query: { q }, key: supportKey });
  expect(status).toBe(200);
  return body.hits;
}

const purchaseIn = ({ packageName }: { packageName: string }) => ({
  kind: 'purchase',
  packageName,
  id: 'shared',
  about: 'coins',
  time: testNow,
});

test('a purchase id finds the purchases of all apps that have it', async () => {
  expect(await hitsFor('shared')).toEqual([purchaseIn(shop), purchaseIn(game)]);
});

test('an order id finds its purchase', async () => {
  expect(await hitsFor('order 2')).toEqual([purchaseIn(shop)]);
});

test('the id of a buyer with purchases in several apps is one hit', async () => {
  expect(await hitsFor('Ann O’Neil')).toEqual([{ kind: 'buyer', id: 'Ann O’Neil' }]);
});

test('the id of an event finds it, and its delivery as soon as there is one', async () => {
  const { id, type: about, eventTime: time } = event;
  const found = { packageName: game.packageName, id, about, time, subject: 'shared' };
  expect(await hitsFor(id)).toEqual([{ kind: 'event', ...found }]);
  const shown = await createTestApp(server, 'com.example.hooked');
  await operator.putWebhook({ packageName: shown.packageName, url: 'http://127.0.0.1:1024/hooks' });
  await recordTestPurchase(server, shown, { purchaseId: 'delivered' });
  await using delivering = openJob(server);
  await delivering.job.runOnce();
  const { deliveries } = await operator.listDeliveries({ packageName: shown.packageName });
  const delivered = deliveries[0]?.id ?? '';
  const { packageName } = shown;
  expect(await hitsFor(delivered)).toEqual([
    { kind: 'delivery', packageName, id: delivered, about, time: testNow, subject: 'delivered' },
  ]);
});

test('the request id of an operator call that changed something finds its action', async () => {
  const { packageName } = game;
  const voided = await operate(server, 'POST', `/apps/${packageName}/expel-tokens`);
  const id = voided.headers.get('x-request-id') ?? '';
  const hit = { kind: 'action', packageName, id, about: 'expelTokens', time: testNow };
  expect(await hitsFor(id)).toEqual([hit]);
  const linked = await operate(server, 'POST', '/console-links', { body: { role: 'support' } });
  const linkId = linked.headers.get('x-request-id') ?? '';
  expect(await hitsFor(linkId)).toEqual([
    { kind: 'action', id: linkId, about: 'createConsoleLink', time: testNow },
  ]);
});

test('the request id of a call of the purchase API finds its entry in the request log', async () => {
  const { packageName, token } = shop;
  const answer = await callPurchaseApi(server, { token, path: `/details/none/${packageName}` });
  const id = answer.headers.get('x-request-id') ?? '';
  await expect
    .poll(() => hitsFor(id))
    .toEqual([{ kind: 'request', packageName, id, about: 'getPurchaseDetails', time: testNow }]);
});

describe('names', () => {
  test('the start of a package name finds the apps, in the order of their names', async () => {
    const hits = await hitsFor('com.example.');
    expect(hits.map(({ kind, id }) => [kind, id])).toEqual(
      ['game', 'hooked', 'shop'].map((name) => ['app', `com.example.${name}`]),
    );
  });

  test('the start of a product id finds the products of all apps', async () => {
    expect(await hitsFor('mon')).toEqual(
      ['game', 'hooked', 'shop'].map((name) => ({
        kind: 'product',
        packageName: `com.example.${name}`,
        id: 'monthly',
      })),
    );
  });
});

test('a disabled app is found by its whole package name only', async () => {
  const { packageName } = await createTestApp(server, 'com.exampel.typo');
  await operator.updateApp({ packageName, disabled: true });
  expect(await hitsFor('com.exampel.typ')).toEqual([]);
  expect(await hitsFor(packageName)).toMatchObject([{ kind: 'app', packageName }]);
});
