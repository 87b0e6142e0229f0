import fc from 'fast-check';
import { expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import {
  type Answer,
  call,
  callPurchaseApi,
  createTestApp,
  operate,
  recordTestPurchase,
  useTestServer,
} from '../harness.ts';

const attempts = 400;

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

interface Attempt {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

const purchaseId = fc.constantFrom(...Object.values(otherIds));
const action = fc.constantFrom('cancel', 'reactivate');

/** Calls of the purchase API with the package last, so that it can be replaced by an unknown one. */
const purchaseAttempt = fc.oneof(
  fc.record({
    method: fc.constant('GET'),
    at: fc.constantFrom('details', 'recurring-details', 'last-recurring-details'),
    purchaseId,
    end: fc.constant(''),
  }),
  fc.record({
    method: fc.constant('GET'),
    at: fc.constant('details-by-productid'),
    purchaseId,
    end: fc.constantFrom('/coins', '/monthly'),
  }),
  fc.record({ method: fc.constant('POST'), at: fc.constant('consume'), purchaseId, end: fc.constant('') }),
  fc.record({
    method: fc.constant('POST'),
    at: fc.constant('manage-payment-status'),
    purchaseId,
    end: action.map((name) => `/${name}`),
  }),
  fc.record({
    method: fc.constant('GET'),
    at: fc.constant('voided-purchases'),
    purchaseId: fc.constant(undefined),
    end: fc.constantFrom('', '?maxResults=1'),
  }),
);

/** Calls of the sandbox API with ids of the other app in every field. */
const sandboxAttempt: fc.Arbitrary<Attempt> = fc.oneof(
  fc.constantFrom(
    { method: 'GET', path: '/purchases' },
    { method: 'GET', path: '/purchases?buyerId=buyer' },
    { method: 'GET', path: '/purchases?state=voided' },
  ),
  purchaseId.map((id) => ({ method: 'POST', path: `/purchases/${id}/void` })),
  purchaseId.map((id) => ({ method: 'GET', path: `/subscriptions/${id}` })),
  fc
    .tuple(purchaseId, action)
    .map(([id, name]) => ({ method: 'POST', path: `/subscriptions/${id}/${name}` })),
  fc
    .tuple(purchaseId, fc.constantFrom('coins', 'monthly'), fc.constantFrom('order-coins', 'order-own'))
    .map(([id, productId, orderId]) => ({
      method: 'POST',
      path: '/purchases',
      body: { purchaseId: id, productId, orderId },
    })),
  fc.constantFrom('coins', 'of-own').map((productId) => ({
    method: 'PUT',
    path: `/products/${productId}`,
    body: { type: 'one_time', price: 1, currency: 'USD', title: 'own' },
  })),
  // Valid calls, with the package of the other app in places where a client might put it.
  fc
    .constantFrom('packageName', 'package_name', 'app')
    .map((name) => ({ method: 'GET', path: `/purchases?${name}=${other.packageName}` })),
  purchaseId.map((id) => ({
    method: 'POST',
    path: '/purchases',
    body: { productId: 'coins', purchaseId: id, packageName: other.packageName },
  })),
);

async function nothingOfOther(answer: Answer): Promise<void> {
  expect(answer.text).not.toContain(secretText);
  expect(answer.text).not.toContain(`"packageName":"${other.packageName}"`);
}

test('the purchase API reveals nothing of another app to a token, not even which ids exist', async () => {
  const before = await rowsOfOther();
  await fc.assert(
    fc.asyncProperty(purchaseAttempt, async ({ method, at, purchaseId: id, end }) => {
      const pathOf = (packageName: string) => {
        const [suffix = '', query = ''] = end.split('?');
        const path = [at, ...(id === undefined ? [] : [id]), packageName].join('/');
        return `/${path}${suffix}${query === '' ? '' : `?${query}`}`;
      };
      const foreign = await callPurchaseApi(server, {
        token: own.token,
        method,
        path: pathOf(other.packageName),
      });
      const absent = await callPurchaseApi(server, {
        token: own.token,
        method,
        path: pathOf('com.example.absent'),
      });
      expect(foreign.status).toBeGreaterThanOrEqual(400);
      expect([foreign.status, foreign.text]).toEqual([absent.status, absent.text]);
      await nothingOfOther(foreign);
      // With its own package, an id of the other app is treated like an unknown id.
      if (id !== undefined && id !== otherIds.shared) {
        const swapped = await callPurchaseApi(server, {
          token: own.token,
          method,
          path: pathOf(own.packageName),
        });
        const nobodys = pathOf(own.packageName).replace(id, 'NOBODY');
        const unknown = await callPurchaseApi(server, { token: own.token, method, path: nobodys });
        expect([swapped.status, swapped.text]).toEqual([unknown.status, unknown.text]);
        await nothingOfOther(swapped);
      }
    }),
    { numRuns: attempts },
  );
  expect(await rowsOfOther()).toBe(before);
});

test('the sandbox API changes and shows only data of the app of the token', async () => {
  const before = await rowsOfOther();
  await fc.assert(
    fc.asyncProperty(sandboxAttempt, async ({ method, path, body }) => {
      const answer = await call(`${server.publicUrl}/sandbox/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${own.token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      expect(answer.status).toBeLessThan(500);
      await nothingOfOther(answer);
      if (answer.body?.packageName !== undefined) expect(answer.body.packageName).toBe(own.packageName);
    }),
    { numRuns: attempts },
  );
  expect(await rowsOfOther()).toBe(before);
});
