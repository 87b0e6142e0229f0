// listPurchases: one list of all purchases, by filters, and how lists reject invalid parameters.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { listPurchases } from '@opentill/contract/operator-api/listPurchases.ts';
import { expect, test } from 'vitest';
import { tryConsume } from '../../../../test/support/calls/purchase-changes.ts';
import {
  createTestApp,
  operate,
  recordTestPurchase,
  supportKey,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import {
  callDeveloper,
  callOperator,
  everyPage,
  type OperationCall,
} from '../../../../test/support/http/checked-call.ts';

/** Five purchases of `game`, two of them at the same instant, and one of `shop`. */
const server = await useTestServer();
const game = await createTestApp(server, 'com.example.game');
const shop = await createTestApp(server, 'com.example.shop');
const made = [
  { purchaseId: 'g1', purchaseTime: testNow - 4000, buyerId: 'ann' },
  { purchaseId: 'g2', purchaseTime: testNow - 3000, buyerId: 'order', orderId: 'order' },
  { purchaseId: 'g3', purchaseTime: testNow - 2000, buyerId: 'ann' },
  { purchaseId: 'g4', purchaseTime: testNow - 2000, buyerId: 'ann' },
  { purchaseId: 'g5', purchaseTime: testNow - 1000, buyerId: 'ann', productId: 'monthly' },
];
for (const purchase of made) await recordTestPurchase(server, game, purchase);
await recordTestPurchase(server, shop, {
  purchaseId: 'g1',
  purchaseTime: testNow - 2000,
  buyerId: 'ann',
  orderId: 'order',
});
await tryConsume(server, game, 'g3');
/** In another order than that of the purchases, and two at one instant. */
for (const [app, purchaseId, passed] of [
  [game, 'g4', 1_000],
  [shop, 'g1', 2_000],
  [game, 'g1', 2_000],
] as const) {
  await server.clock.set(testNow + passed);
  await operate(server, 'POST', `/apps/${app.packageName}/purchases/${purchaseId}/void`);
}

type Query = NonNullable<OperationCall['query']>;

const list = (query: Query) => callOperator(server, listPurchases, { query, key: supportKey });

function idsOf(body: { purchases: { packageName: string; purchaseId: string }[] }): string[] {
  return body.purchases.map(
    ({ packageName, purchaseId }) => `${packageName.replace('com.example.', '')}/${purchaseId}`,
  );
}

/** Reads every page. */
async function listed(query: Query): Promise<string[]> {
  return (await everyPage((page) => list({ ...query, ...page }))).flatMap(idsOf);
}

const inGame = { packageName: game.packageName };
const gameIds = (...ids: string[]) => ids.map((id) => `game/${id}`);

// The first test: others add purchases of more apps.
test.each<[string, Query, string[]]>([
  ['of all apps', {}, ['game/g5', 'shop/g1', 'game/g4', 'game/g3', 'game/g2', 'game/g1']],
  ['of an app', inGame, gameIds('g5', 'g4', 'g3', 'g2', 'g1')],
  ['with a purchaseId, of all apps', { purchaseId: 'g1' }, ['shop/g1', 'game/g1']],
  ['with a purchaseId, of an app', { ...inGame, purchaseId: 'g1' }, gameIds('g1')],
  ['with an orderId, of all apps', { orderId: 'order' }, ['shop/g1', 'game/g2']],
  ['of a buyer in all apps', { buyerId: 'ann' }, ['game/g5', 'shop/g1', 'game/g4', 'game/g3', 'game/g1']],
  ['of a buyer in an app', { ...inGame, buyerId: 'ann' }, gameIds('g5', 'g4', 'g3', 'g1')],
  ['of a product', { ...inGame, productId: 'monthly' }, gameIds('g5')],
  ['of a buyer and a product', { ...inGame, buyerId: 'ann', productId: 'coins' }, gameIds('g4', 'g3', 'g1')],
  ['completed: neither consumed nor voided', { ...inGame, state: 'completed' }, gameIds('g5', 'g2')],
  ['consumed', { ...inGame, state: 'consumed' }, gameIds('g3')],
  ['of a range, the end excluded', { from: testNow - 3000, to: testNow - 2000 }, gameIds('g2')],
  ['of a buyer in a range', { ...inGame, buyerId: 'ann', from: testNow - 2000 }, gameIds('g5', 'g4', 'g3')],
  ['voided, the latest void first', { state: 'voided' }, ['shop/g1', 'game/g1', 'game/g4']],
  ['voided in an app', { ...inGame, state: 'voided' }, gameIds('g1', 'g4')],
  ['voided in a range', { state: 'voided', from: testNow + 1_001 }, ['shop/g1', 'game/g1']],
  ['voided in an app before', { ...inGame, state: 'voided', to: testNow + 2_000 }, gameIds('g4')],
  ['voided of a buyer in all apps', { state: 'voided', buyerId: 'ann' }, ['shop/g1', 'game/g4', 'game/g1']],
  ['with the id of a purchase', { id: 'g1' }, ['shop/g1', 'game/g1']],
  ['with the id of an order that is a buyer too', { id: 'order' }, ['shop/g1', 'game/g2']],
  ['with the id of a buyer, consumed', { ...inGame, id: 'ann', state: 'consumed' }, gameIds('g3')],
])('the purchases %s are listed, each once with pages of any size', async (_, query, ids) => {
  for (const pageSize of [1, 2, 200]) expect(await listed({ ...query, pageSize })).toEqual(ids);
});

test.each<[string, Query]>([
  ['productId', { productId: 'coins' }],
  ['state', { state: 'consumed' }],
])('the filter %s needs an app', async (_, query) => {
  const { status, body } = await list(query);
  expect([status, body.errors]).toEqual([400, [{ path: 'packageName', message: expect.any(String) }]]);
});

test('in the developer API, the list is that of the app of the token', async () => {
  const query = { orderId: 'order' };
  const { body } = await callDeveloper(server, developerApi.listPurchases, { key: shop.token, query });
  expect(idsOf(body)).toEqual(['shop/g1']);
  const other = { packageName: game.packageName };
  const refused = await callDeveloper(server, developerApi.listPurchases, { key: shop.token, query: other });
  expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'packageName']);
});

test.each<[string, Query, string]>([
  ['a pageToken that no page gave', { pageToken: 'AAAA' }, 'pageToken'],
  ['a pageToken of another list', { pageToken: Buffer.from('["a"]').toString('base64url') }, 'pageToken'],
  ['an over-long pageToken', { pageToken: 'A'.repeat(513) }, 'pageToken'],
  ['a pageSize of 201', { pageSize: 201 }, 'pageSize'],
  ['a parameter that does not exist', { buyerID: 'ann' }, 'buyerID'],
  ...['0', '1.5', '1.0', '5.', '', ' 5', '+5', '0x10', '1e1', 'true', 'null', '-1', '9'.repeat(400)].map(
    (pageSize): [string, Query, string] => [`the pageSize "${pageSize}"`, { pageSize }, 'pageSize'],
  ),
])('%s is rejected with 400, which names the parameter', async (_, query, path) => {
  const { status, body } = await list(query);
  expect([status, body.errors]).toEqual([400, [{ path, message: expect.any(String) }]]);
});
