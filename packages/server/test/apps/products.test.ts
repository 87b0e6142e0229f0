// Creating, replacing and listing products.

import { listProducts } from '@opentill/contract/operator-api/listProducts.ts';
import { putProduct } from '@opentill/contract/operator-api/putProduct.ts';
import { recordPurchase } from '@opentill/contract/operator-api/recordPurchase.ts';
import { expect, test } from 'vitest';
import { createTestApp, testNow, useTestServer } from '../harness.ts';
import { callOperator, everyPage } from '../operator-api/checked-call.ts';

const packageName = 'com.example.shop';
const product = { type: 'one_time', price: 250, currency: 'USD' };

const server = await useTestServer();
await createTestApp(server, packageName);

function put(productId: string, body: unknown) {
  return callOperator(server, putProduct, { path: { packageName, productId }, body });
}

test('a new product returns 201 and a replacement 200, fields that are not sent are removed, and createdAt stays', async () => {
  const created = await put('replaced', { ...product, title: 'Sword ⚔️' });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    packageName,
    productId: 'replaced',
    ...product,
    title: 'Sword ⚔️',
    createdAt: testNow,
    updatedAt: testNow,
  });
  await server.clock.advance(1000);
  const replaced = await put('replaced', { ...product, price: 300, currency: 'KRW' });
  await server.clock.set(testNow);
  expect(replaced.status).toBe(200);
  expect(replaced.body).toEqual({
    packageName,
    productId: 'replaced',
    type: 'one_time',
    price: 300,
    currency: 'KRW',
    createdAt: testNow,
    updatedAt: testNow + 1000,
  });
});

test('the type of a product never changes: putProduct returns 409 naming it', async () => {
  await put('typed', product);
  const answer = await put('typed', { ...product, type: 'subscription', price: 1 });
  expect(answer.status).toBe(409);
  expect(answer.body.errors).toEqual([{ path: '/type', message: expect.stringContaining('one_time') }]);
  const { products } = (await callOperator(server, listProducts, { path: { packageName } })).body;
  expect(products).toContainEqual(expect.objectContaining({ productId: 'typed', ...product }));
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
  const path = { packageName };
  const pages = await everyPage((page) =>
    callOperator(server, listProducts, { path, query: { ...page, pageSize: 2 } }),
  );
  const walked = pages.flatMap(({ products }) =>
    products.map(({ productId }: { productId: string }) => productId),
  );
  expect(new Set(walked).size).toBe(walked.length);
  const { body } = await callOperator(server, listProducts, { path });
  expect(walked).toEqual(body.products.map(({ productId }: { productId: string }) => productId));
  expect(walked).toEqual(expect.arrayContaining(ids));
});
