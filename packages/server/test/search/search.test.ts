// search: records of all apps by an id or the start of a name.

import { expect, test } from 'vitest';
import {
  callPurchaseApi,
  createTestApp,
  operate,
  operatorOf,
  recordTestPurchase,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { openJob } from '../../../../test/support/webhooks/webhook-stage.ts';

const server = await useTestServer();
const operator = operatorOf(server);
const game = await createTestApp(server, 'com.example.game');
const shop = await createTestApp(server, 'com.example.shop');
await recordTestPurchase(server, game, { purchaseId: 'shared', orderId: 'order 1', buyerId: 'Ann O’Neil' });
await recordTestPurchase(server, shop, { purchaseId: 'shared', orderId: 'order 2', buyerId: 'Ann O’Neil' });
const [event] = (await operator.listEvents({ packageName: game.packageName })).events;
if (event === undefined) throw new Error('The purchase has no event.');

const hitsFor = async (q: string) => (await operator.search({ q })).hits;

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

test('the id or the order of its first period finds a subscription', async () => {
  const { packageName } = shop;
  const sale = { productId: 'monthly', purchaseId: 'club', orderId: 'order 3' };
  await recordTestPurchase(server, shop, sale);
  for (const q of ['club', 'order 3'])
    expect(await hitsFor(q)).toMatchObject([{ kind: 'subscription', packageName, id: 'club' }]);
});

test('the id of a buyer with purchases in several apps is one hit', async () => {
  expect(await hitsFor('Ann O’Neil')).toEqual([{ kind: 'buyer', id: 'Ann O’Neil' }]);
});

test('the id of an event finds it, and its delivery as soon as there is one', async () => {
  const { id, type: about } = event;
  const found = { about, time: testNow, subject: 'shared' };
  expect(await hitsFor(id)).toEqual([{ kind: 'event', packageName: game.packageName, id, ...found }]);
  const { packageName } = await createTestApp(server, 'com.example.hooked');
  await operator.putWebhook({ packageName, url: 'http://127.0.0.1:1024/hooks' });
  await recordTestPurchase(server, { packageName }, { purchaseId: 'shared' });
  await using delivering = openJob(server);
  await delivering.job.runOnce();
  const [delivery] = (await operator.listDeliveries({ packageName })).deliveries;
  const hit = { kind: 'delivery', packageName, id: delivery?.id, ...found };
  expect(await hitsFor(delivery?.id ?? '')).toEqual([hit]);
});

test('the request id of an operator call that changed something finds its action', async () => {
  const { packageName } = game;
  const expelled = await operate(server, 'POST', `/apps/${packageName}/expel-tokens`);
  const id = expelled.headers.get('x-request-id') ?? '';
  const hit = { kind: 'action', packageName, id, about: 'expelTokens', time: testNow };
  expect(await hitsFor(id)).toEqual([hit]);
  const linked = await operate(server, 'POST', '/console-links', { body: { role: 'support' } });
  const ofStore = await hitsFor(linked.headers.get('x-request-id') ?? '');
  expect(ofStore).toMatchObject([{ kind: 'action', about: 'createConsoleLink' }]);
});

test('the request id of a call of the purchase API finds its entry in the request log', async () => {
  const { packageName, token } = shop;
  const response = await callPurchaseApi(server, { token, path: `/details/none/${packageName}` });
  const id = response.headers.get('x-request-id') ?? '';
  await expect
    .poll(() => hitsFor(id))
    .toEqual([{ kind: 'request', packageName, id, about: 'getPurchaseDetails', time: testNow }]);
});

test('the start of a package name or of a product id finds the apps and products, in the order of the apps', async () => {
  const packages = ['game', 'hooked', 'shop'].map((name) => `com.example.${name}`);
  const hits = await hitsFor('com.example.');
  expect(hits.map(({ kind, id }) => [kind, id])).toEqual(packages.map((id) => ['app', id]));
  const products = packages.map((packageName) => ({ kind: 'product', packageName, id: 'monthly' }));
  expect(await hitsFor('mon')).toEqual(products);
});

test('a disabled app is found by its whole package name only', async () => {
  const { packageName } = await createTestApp(server, 'com.exampel.typo');
  await operator.updateApp({ packageName, disabled: true });
  expect(await hitsFor('com.exampel.typ')).toEqual([]);
  expect(await hitsFor(packageName)).toMatchObject([{ kind: 'app', packageName }]);
});
