import { expect, test } from 'vitest';
import {
  call,
  createTestApp,
  type HttpResponse,
  operate,
  recordTestPurchase,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';

/** Records of the other app; `shared` is an id that both apps have, with different contents. */
const otherIds = { coins: 'OTHER-COINS', monthly: 'OTHER-MONTHLY', voided: 'OTHER-VOIDED', shared: 'SHARED' };
const secretText = 'what nobody else may read';

const server = await useTestServer();
const own = await createTestApp(server, 'com.example.own');
const other = await createTestApp(server, 'com.example.other');
for (const [kind, purchaseId] of Object.entries(otherIds)) {
  const productId = kind === 'monthly' ? 'monthly' : 'coins';
  await recordTestPurchase(server, other, {
    purchaseId,
    productId,
    orderId: `order-${kind}`,
    buyerId: 'buyer',
    developerPayload: secretText,
  });
}
const path = `/apps/${other.packageName}/purchases/${otherIds.voided}/void`;
expect((await operate(server, 'POST', path)).status).toBe(200);
await recordTestPurchase(server, own, { purchaseId: otherIds.shared, developerPayload: 'own' });

/** Every row of the other app in all tables except the request log, which is written later. */
async function rowsOfOther(): Promise<string> {
  const tables = await query(
    server.connection,
    `select table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'package_name' and table_name <> 'request_log'
      order by 1`,
  );
  expect(tables.length).toBeGreaterThanOrEqual(8);
  const rows = [];
  for (const { name } of tables) {
    const sql = `select * from ${name} t where package_name = '${other.packageName}' order by t::text`;
    rows.push([name, await query(server.connection, sql)]);
  }
  return JSON.stringify(rows);
}

const ids = Object.values(otherIds);

/** The response to a token of the own app, which shows nothing of the other app. */
async function callAsOwn(method: string, path: string, body?: object): Promise<HttpResponse> {
  const response = await call(server.publicUrl + path, {
    method,
    headers: { authorization: `Bearer ${own.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status).toBeLessThan(500);
  expect(response.text).not.toContain(secretText);
  expect(response.text).not.toContain(`"packageName":"${other.packageName}"`);
  return response;
}

/** Calls of the purchase API about an id and a package. */
const purchaseCalls: readonly [method: string, path: (id: string, packageName: string) => string][] = [
  ['GET', (id, packageName) => `details/${id}/${packageName}`],
  ['GET', (id, packageName) => `recurring-details/${id}/${packageName}`],
  ['GET', (id, packageName) => `last-recurring-details/${id}/${packageName}`],
  ['GET', (id, packageName) => `details-by-productid/${id}/${packageName}/coins`],
  ['GET', (id, packageName) => `details-by-productid/${id}/${packageName}/monthly`],
  ['POST', (id, packageName) => `consume/${id}/${packageName}`],
  ['POST', (id, packageName) => `manage-payment-status/${id}/${packageName}/cancel`],
  ['POST', (id, packageName) => `manage-payment-status/${id}/${packageName}/reactivate`],
  ['GET', (_id, packageName) => `voided-purchases/${packageName}`],
];

test('the purchase API reveals nothing of another app to a token, not even which ids exist', async () => {
  const before = await rowsOfOther();
  for (const [method, pathOf] of purchaseCalls) {
    const responseTo = async (id: string, packageName: string) => {
      const { status, text } = await callAsOwn(method, `/v2/purchase/${pathOf(id, packageName)}`);
      return [status, text];
    };
    for (const id of ids) {
      const foreign = await responseTo(id, other.packageName);
      expect(foreign[0]).toBeGreaterThanOrEqual(400);
      expect(foreign).toEqual(await responseTo(id, 'com.example.absent'));
      // With its own package, an id of the other app is treated like an unknown id.
      if (id === otherIds.shared) continue;
      expect(await responseTo(id, own.packageName)).toEqual(await responseTo('NOBODY', own.packageName));
    }
  }
  expect(await rowsOfOther()).toBe(before);
});

test('the developer API changes and shows only data of the app of the token', async () => {
  const before = await rowsOfOther();
  const attempt = async (method: string, path: string, body?: object) => {
    const { packageName } = (await callAsOwn(method, `/developer/v1/${path}`, body)).body ?? {};
    if (packageName !== undefined) expect(packageName).toBe(own.packageName);
  };
  // The second time, the purchase of the order is looked up.
  for (const _ of [1, 2]) await attempt('POST', 'purchases', { productId: 'coins', orderId: 'order-voided' });
  for (const id of ids) {
    for (const action of ['cancel', 'reactivate']) await attempt('POST', `subscriptions/${id}/${action}`);
    await attempt('GET', `subscriptions/${id}`);
    await attempt('POST', `purchases/${id}/void`);
    for (const productId of ['coins', 'monthly']) {
      for (const orderId of ['order-coins', 'order-own'])
        await attempt('POST', 'purchases', { purchaseId: id, productId, orderId });
    }
    // The package of the other app where a client might put it.
    await attempt('POST', 'purchases', {
      productId: 'coins',
      purchaseId: id,
      packageName: other.packageName,
    });
  }
  for (const productId of ['coins', 'of-own'])
    await attempt('PUT', `products/${productId}`, { type: 'oneTime', price: 1, currency: 'USD' });
  const filters = ['', '?buyerId=buyer', '?state=voided', `?packageName=${other.packageName}`];
  for (const filter of filters) await attempt('GET', `purchases${filter}`);
  expect(await rowsOfOther()).toBe(before);
});
