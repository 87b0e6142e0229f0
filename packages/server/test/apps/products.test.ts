// Creating, replacing and listing products.

import { eachPage } from '@opentill/client/operator';
import { putProduct } from '@opentill/contract/operator-api/putProduct.ts';
import { recordPurchase } from '@opentill/contract/operator-api/recordPurchase.ts';
import { expect, test } from 'vitest';
import { createTestApp, operatorOf, testNow, useTestServer } from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';

const packageName = 'com.example.shop';
const product = { type: 'oneTime', price: 250, currency: 'USD' };

const server = await useTestServer();
const operator = operatorOf(server);
await createTestApp(server, packageName);

function put(productId: string, body: unknown) {
  return callOperator(server, putProduct, { path: { packageName, productId }, body });
}

test('a new product returns 201 and a replacement 200, fields that are not sent are removed, and createdAt stays', async () => {
  const key = { packageName, productId: 'replaced', createdAt: testNow };
  const sword = { ...product, title: 'Sword ⚔️' };
  const created = await put('replaced', sword);
  expect(created.status).toBe(201);
  expect(created.body).toEqual({ ...key, ...sword, updatedAt: testNow });
  await server.clock.advance(1000);
  const other = { ...product, price: 300, currency: 'KRW' };
  const replaced = await put('replaced', other);
  await server.clock.set(testNow);
  expect(replaced.status).toBe(200);
  expect(replaced.body).toEqual({ ...key, ...other, updatedAt: testNow + 1000 });
});

test('an id that no product can have is named with its form', async () => {
  const { status, body } = await put('coins 1', product);
  const message = 'expected only A-Z a-z 0-9 . _ -, and neither "." nor "..", got "coins 1"';
  expect([status, body.detail, body.errors]).toEqual([
    404,
    `productId: ${message}.`,
    [{ path: 'productId', message }],
  ]);
});

test('the type of a product never changes: putProduct returns 409 naming it', async () => {
  await put('typed', product);
  const response = await put('typed', { ...product, type: 'subscription', price: 1 });
  expect(response.status).toBe(409);
  expect(response.body.errors).toEqual([{ path: '/type', message: expect.stringContaining('oneTime') }]);
  const { products } = await operator.listProducts({ packageName });
  expect(products).toContainEqual(expect.objectContaining({ productId: 'typed', ...product }));
});

test.each([
  ['WON', 'expected a currency of ISO 4217, got WON: did you mean KRW?'],
  ['RMB', 'expected a currency of ISO 4217, got RMB: did you mean CNY?'],
  ['ZZZ', 'expected a currency of ISO 4217, got ZZZ'],
  ['XAU', 'expected a currency of ISO 4217, got XAU'],
  ['HRK', 'expected a currency of ISO 4217 that is in use, got HRK, which was withdrawn: did you mean EUR?'],
])('a new product in %s returns 400 naming the currency that was meant', async (currency, message) => {
  const { status, body } = await put('foreign', { ...product, currency });
  expect([status, body.errors]).toEqual([400, [{ path: '/currency', message }]]);
});

test('a product keeps a currency that was withdrawn since it was created, and no other takes it', async () => {
  await put('kept', product);
  const changed = `update product set currency = 'HRK' where package_name = $1 and product_id = 'kept'`;
  await query(server.connection, changed, [packageName]);
  expect((await put('kept', { ...product, currency: 'HRK', price: 7 })).status).toBe(200);
  expect((await put('kept', { ...product, currency: 'BGN' })).status).toBe(400);
});

test('purchases keep the price and currency of their sale', async () => {
  await put('repriced', product);
  const path = { packageName };
  const body = { productId: 'repriced', orderId: 'before' };
  await callOperator(server, recordPurchase, { path, body });
  await put('repriced', { ...product, price: 999, currency: 'JPY' });
  const again = await callOperator(server, recordPurchase, { path, body });
  expect(again.status).toBe(200);
  expect(again.body).toMatchObject({ price: 250, currency: 'USD' });
});

test('listProducts returns every product once, page by page, ordered by product id, including the longest ids', async () => {
  const ids = [...'abc'].map((letter) => letter.repeat(150));
  for (const id of ids) await put(id, product);
  const pages = eachPage((page) => operator.listProducts({ packageName, pageSize: 2, ...page }));
  const walked = (await Array.fromAsync(pages)).flatMap(({ products }) => products);
  expect(walked).toEqual((await operator.listProducts({ packageName })).products);
  const walkedIds = walked.map(({ productId }) => productId);
  expect(walkedIds).toEqual(walkedIds.toSorted());
  expect(walkedIds).toEqual(expect.arrayContaining(ids));
});
