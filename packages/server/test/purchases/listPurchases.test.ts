// Reading one purchase with its history, listing those of an app, and searching those of all apps.

import { getPurchase } from '@opentill/contract/operator-api/getPurchase.ts';
import { listPurchases } from '@opentill/contract/operator-api/listPurchases.ts';
import { searchPurchases } from '@opentill/contract/operator-api/searchPurchases.ts';
import { voidPurchase } from '@opentill/contract/operator-api/voidPurchase.ts';
import { describe, expect, test } from 'vitest';
import { scannedRowsMax } from '../../src/store/connection/paged-list.ts';
import {
  adminKey,
  call,
  callPurchaseApi,
  createTestApp,
  recordTestPurchase,
  supportKey,
  testNow,
  useTestServer,
} from '../harness.ts';
import { callOperator, everyPage, type OperationCall } from '../operator-api/checked-call.ts';
import { insertPurchases } from '../stage.ts';

/** Five purchases of `game`, two of them at the same instant, and one of `shop`. */
const server = await useTestServer();
const game = await createTestApp(server, 'com.example.game');
const shop = await createTestApp(server, 'com.example.shop');
const made = [
  { purchaseId: 'g1', purchaseTime: testNow - 4000, buyerId: 'ann' },
  { purchaseId: 'g2', purchaseTime: testNow - 3000, buyerId: 'bob', orderId: 'order' },
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
const consume = `/consume/g3/${game.packageName}`;
await callPurchaseApi(server, { token: game.token, method: 'POST', path: consume });
await callOperator(server, voidPurchase, { path: { ...game, purchaseId: 'g1' }, key: supportKey });

type Query = NonNullable<OperationCall['query']>;

function idsOf(body: { purchases: { packageName: string; purchaseId: string }[] }): string[] {
  return body.purchases.map(({ packageName, purchaseId }) => `${packageName}/${purchaseId}`);
}

async function listed(query: Query): Promise<string[]> {
  const { status, body } = await callOperator(server, listPurchases, { path: game, query });
  expect(status).toBe(200);
  return body.purchases.map(({ purchaseId }: { purchaseId: string }) => purchaseId);
}

/** Reads every page of a list. */
async function walk(fetchPage: (page: Query) => ReturnType<typeof callOperator>): Promise<string[]> {
  return (await everyPage(fetchPage)).flatMap(idsOf);
}

// The first test: others add purchases of more apps.
test.each([2, 200])(
  'searchPurchases without a value lists all purchases, newest first, with pages of %i',
  async (pageSize) => {
    const ids = await walk((page) => callOperator(server, searchPurchases, { query: { ...page, pageSize } }));
    const expected = ['game/g5', 'shop/g1', 'game/g4', 'game/g3', 'game/g2', 'game/g1'];
    expect(ids).toEqual(expected.map((id) => `com.example.${id}`));
  },
);

describe('getPurchase', () => {
  test('getPurchase shows every change of a purchase with its actor and request, oldest first', async () => {
    const path = { ...game, purchaseId: 'g1' };
    const { body } = await callOperator(server, getPurchase, { path });
    expect(body).toMatchObject({ purchaseState: 1, voidedTime: testNow, voidReason: 'system' });
    const history = body.history.map(({ type, madeBy }: { type: string; madeBy: string }) => [type, madeBy]);
    expect(history).toEqual([
      ['purchase.completed', 'operator:admin'],
      ['purchase.voided', 'operator:helpdesk'],
    ]);
  });

  test('getPurchase shows the app as the actor of a consume', async () => {
    const path = { ...game, purchaseId: 'g3' };
    const { body } = await callOperator(server, getPurchase, { path });
    expect(body).toMatchObject({ consumptionState: 1, consumedTime: testNow });
    expect(body.history[1]).toMatchObject({ type: 'purchase.consumed', madeBy: 'app', time: testNow });
  });

  test('getPurchase returns 404 for an unknown id and for an id of another app', async () => {
    for (const path of [
      { ...shop, purchaseId: 'g2' },
      { ...game, purchaseId: 'none' },
    ]) {
      expect((await callOperator(server, getPurchase, { path })).status).toBe(404);
    }
  });
});

describe('listPurchases', () => {
  test.each<[string, Query, string[]]>([
    ['everything, newest first', {}, ['g5', 'g4', 'g3', 'g2', 'g1']],
    ['those of a product', { productId: 'monthly' }, ['g5']],
    ['those of a buyer', { buyerId: 'ann' }, ['g5', 'g4', 'g3', 'g1']],
    ['those of a buyer and a product', { buyerId: 'ann', productId: 'coins' }, ['g4', 'g3', 'g1']],
    ['completed ones: neither consumed nor voided', { state: 'completed' }, ['g5', 'g4', 'g2']],
    ['consumed ones', { state: 'consumed' }, ['g3']],
    ['voided ones', { state: 'voided' }, ['g1']],
    ['from an instant, that one included', { from: testNow - 2000 }, ['g5', 'g4', 'g3']],
    ['to an instant, that one excluded', { to: testNow - 2000 }, ['g2', 'g1']],
    ['a range', { from: testNow - 3000, to: testNow - 1000 }, ['g4', 'g3', 'g2']],
    ['nothing', { buyerId: 'nobody' }, []],
  ])('listPurchases returns %s', async (_, query, ids) => {
    expect(await listed(query)).toEqual(ids);
  });

  test.each([1, 2, 3, 5, 200])(
    'listPurchases returns each purchase once with pages of %i',
    async (pageSize) => {
      const ids = await walk((page) =>
        callOperator(server, listPurchases, { path: game, query: { ...page, pageSize } }),
      );
      expect(ids).toEqual(['g5', 'g4', 'g3', 'g2', 'g1'].map((id) => `${game.packageName}/${id}`));
    },
  );

  test('listPurchases applies its filters to every page', async () => {
    const ids = await walk((page) =>
      callOperator(server, listPurchases, {
        path: game,
        query: { ...page, pageSize: 1, buyerId: 'ann', productId: 'coins' },
      }),
    );
    expect(ids).toEqual(['g4', 'g3', 'g1'].map((id) => `${game.packageName}/${id}`));
  });

  test('a page of a rare product reads a bounded number of rows, and the walk still finds every purchase', async () => {
    const crowded = await createTestApp(server, 'com.example.crowded');
    await insertPurchases(server, crowded, 2 * scannedRowsMax + 1);
    const pages: number[] = [];
    const ids = await walk(async (page) => {
      const rare = { ...page, productId: 'rare' };
      const answer = await callOperator(server, listPurchases, { path: crowded, query: rare });
      pages.push(answer.body.purchases.length);
      return answer;
    });
    expect(ids).toEqual([2 * scannedRowsMax + 1, 1].map((id) => `${crowded.packageName}/p${id}`));
    expect(pages).toEqual([1, 0, 1]);
  });

  test.each<[string, Query, string]>([
    ['a pageToken that no page gave', { pageToken: 'AAAA' }, 'pageToken'],
    ['a pageToken of another list', { pageToken: Buffer.from('["a"]').toString('base64url') }, 'pageToken'],
    ['an over-long pageToken', { pageToken: 'A'.repeat(513) }, 'pageToken'],
    ['a pageSize of 0', { pageSize: 0 }, 'pageSize'],
    ['a pageSize of 201', { pageSize: 201 }, 'pageSize'],
    ['a state that does not exist', { state: 'refunded' }, 'state'],
    ['an instant of 12 digits', { from: 999_999_999_999 }, 'from'],
    ['a parameter that does not exist', { buyerID: 'ann' }, 'buyerID'],
    ['NUL in a value', { buyerId: 'a\u0000' }, 'buyerId'],
  ])('listPurchases rejects %s with 400 and names the parameter', async (_, query, path) => {
    const answer = await callOperator(server, listPurchases, { path: game, query });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([{ path, message: expect.any(String) }]);
  });

  test.each(['1.5', '1.0', '5.', '', ' 5', '+5', '0x10', '1e1', 'true', 'null', '-1', '9'.repeat(400)])(
    'listPurchases rejects the pageSize %j with 400',
    async (pageSize) => {
      const answer = await callOperator(server, listPurchases, { path: game, query: { pageSize } });
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toEqual([{ path: 'pageSize', message: expect.any(String) }]);
    },
  );

  test('listPurchases reports at most ten wrong values of a request, each with the value received', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`x${index}`, '1']));
    const many = await callOperator(server, listPurchases, { path: game, query: unknown });
    expect(many.body.errors).toHaveLength(10);
    const two = await callOperator(server, listPurchases, {
      path: game,
      query: { pageSize: '9'.repeat(16), buyerID: 'ann' },
    });
    const [first, second] = two.body.errors.map(
      ({ path, message }: { path: string; message: string }) => `${path}: ${message}`,
    );
    expect(two.body.detail).toBe(`${first}; ${second}.`);
    expect(two.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual(['buyerID', 'pageSize']);
    expect(two.body.detail).toContain('9'.repeat(16));
  });

  test('listPurchases rejects a duplicate parameter with 400', async () => {
    for (const doubled of ['buyerId=ann&buyerId=bob', 'pageSize=5&pageSize=5']) {
      const url = `${server.operatorUrl}/operator/v1/apps/${game.packageName}/purchases?${doubled}`;
      const answer = await call(url, { headers: { authorization: `Bearer ${adminKey}` } });
      expect(answer.status).toBe(400);
    }
  });

  test('listPurchases lists the valid states if it gets an invalid one', async () => {
    const query = { state: 'refunded' };
    const { body } = await callOperator(server, listPurchases, { path: game, query });
    for (const state of ['completed', 'consumed', 'voided', 'refunded'])
      expect(body.detail).toContain(`"${state}"`);
  });

  test('a forged pageToken with text that PostgreSQL cannot store is rejected with 400', async () => {
    for (const position of [
      [testNow, 'a\u0000'],
      [testNow, '\ud800'],
      [1e30, 'a'],
      [null, null],
      [testNow],
    ]) {
      const pageToken = Buffer.from(JSON.stringify(position)).toString('base64url');
      const answer = await callOperator(server, listPurchases, { path: game, query: { pageToken } });
      expect(answer.status).toBe(400);
    }
  });
});

describe('searchPurchases', () => {
  const everywhere = ['game/g5', 'game/g4', 'game/g3', 'shop/g1', 'game/g1'];

  test.each<[string, Query, string[]]>([
    ['a purchase id', { purchaseId: 'g1' }, ['shop/g1', 'game/g1']],
    ['an order id', { orderId: 'order' }, ['shop/g1', 'game/g2']],
    ['a buyer', { buyerId: 'bob' }, ['game/g2']],
    ['an unknown value', { orderId: 'none' }, []],
  ])('searchPurchases finds the purchases of all apps by %s, newest first', async (_, query, ids) => {
    const { body } = await callOperator(server, searchPurchases, { query, key: supportKey });
    expect(idsOf(body)).toEqual(ids.map((id) => `com.example.${id}`));
  });

  test.each([1, 2, 3, 200])(
    'searchPurchases returns each purchase of a buyer once with pages of %i',
    async (pageSize) => {
      const ids = await walk((page) =>
        callOperator(server, searchPurchases, { query: { ...page, pageSize, buyerId: 'ann' } }),
      );
      expect([...ids].sort()).toEqual(everywhere.map((id) => `com.example.${id}`).sort());
      expect(ids[0]).toBe('com.example.game/g5');
      expect(ids.at(-1)).toBe('com.example.game/g1');
    },
  );

  test.each<[string, Query]>([
    ['two values', { purchaseId: 'g1', buyerId: 'ann' }],
    ['a pageToken that no page gave', { buyerId: 'ann', pageToken: 'x' }],
  ])('searchPurchases rejects %s with 400', async (_, query) => {
    expect((await callOperator(server, searchPurchases, { query })).status).toBe(400);
  });
});
