// Calls that production rejects and the sandbox accepts, and purchase ids in production.

import { putProduct } from '@opentill/contract/operator-api/putProduct.ts';
import { recordPurchase } from '@opentill/contract/operator-api/recordPurchase.ts';
import { expect, test } from 'vitest';
import { createTestApp, testNow, useTestServer } from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';

const server = await useTestServer({ env: { OPENTILL_ENVIRONMENT: 'production' } });
const app = await createTestApp(server);

test('a drawn purchase id starts with the second of the purchase', async () => {
  const body = { productId: 'coins', orderId: 'drawn', purchaseTime: Date.UTC(2026, 2, 14, 23, 59, 58) };
  const recorded = await callOperator(server, recordPurchase, { path: app, body });
  expect(recorded.body.purchaseId).toMatch(/^260314235958[0-9]{8}$/);
});

test('an id that starts like a test purchase is rejected with 400 in production', async () => {
  const body = { productId: 'coins', purchaseId: 'SANDBOX1' };
  const refused = await callOperator(server, recordPurchase, { path: app, body });
  expect(refused.status).toBe(400);
  expect(refused.body.errors).toEqual([{ path: '/purchaseId', message: expect.any(String) }]);
  const other = { productId: 'coins', purchaseId: 'sandbox1' };
  expect((await callOperator(server, recordPurchase, { path: app, body: other })).status).toBe(201);
});

test('production rejects a recording without purchaseId and orderId with 400, so that no retry records it twice', async () => {
  const record = (body: object) => callOperator(server, recordPurchase, { path: app, body });
  const refused = await record({ productId: 'coins' });
  expect(refused.status).toBe(400);
  expect(refused.body.errors).toEqual([{ path: '/orderId', message: expect.any(String) }]);
  const sent = { productId: 'coins', orderId: 'retried' };
  const statuses = [(await record(sent)).status, (await record(sent)).status];
  expect(statuses).toEqual([201, 200]);
});

test('a subscription product is rejected with 409 naming the setting if there is no payment gateway', async () => {
  const response = await callOperator(server, putProduct, {
    path: { ...app, productId: 'yearly' },
    body: { type: 'subscription', price: 1, currency: 'EUR' },
  });
  expect(response.status).toBe(409);
  expect(response.body.detail).toContain('OPENTILL_PAYMENT_GATEWAY_URL');
});

test('a purchase of an earlier subscription product is rejected with 409 if there is no payment gateway', async () => {
  await query(
    server.connection,
    `insert into product (package_name, product_id, type, period, price, currency, created_at, updated_at)
      values ($1, 'earlier', 'subscription', 'P1M', 1, 'EUR', $2, $2)`,
    [app.packageName, testNow],
  );
  const body = { productId: 'earlier', orderId: 'of-earlier' };
  const response = await callOperator(server, recordPurchase, { path: app, body });
  expect(response.status).toBe(409);
  expect(response.body.detail).toContain('OPENTILL_PAYMENT_GATEWAY_URL');
});
