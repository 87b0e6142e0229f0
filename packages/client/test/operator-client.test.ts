// The operator client on a real server; each response is checked against the contract.

import { describe, expect, test } from 'vitest';
import { adminKey, operatorOf, requestToken, useTestServer } from '../../../test/support/harness.ts';
import { eachPage, OperatorClient } from '../src/operator-client.ts';
import { errorOf } from './client-stage.ts';

const server = await useTestServer();
const operator = operatorOf(server);

describe('an operator client', () => {
  test('the operator client sends path, query and body of a call, whatever they contain, and returns its response', async () => {
    const packageName = 'com.example.made';
    const made = await operator.createApp({ packageName, name: 'Made', clientId: 'a client/id ü' });
    expect((await requestToken(server, made)).status).toBe(200);
    expect(await operator.updateApp({ packageName, name: null })).not.toHaveProperty('name');
    expect(await operator.updateApp({ packageName })).toMatchObject({ clientId: 'a client/id ü' });
    const product = { type: 'oneTime', title: 'Coins', price: 199, currency: 'EUR' } as const;
    const put = await operator.putProduct({ packageName, productId: 'coins', ...product });
    expect(await operator.listProducts({ packageName })).toEqual({ products: [put] });
    const order = { orderId: 'order/1?&ü', buyerId: undefined };
    const recorded = await operator.recordPurchase({ packageName, productId: 'coins', ...order });
    expect(await operator.listPurchases(order)).toEqual({ purchases: [recorded] });
    const { purchaseId } = recorded;
    expect(await operator.voidPurchase({ packageName, purchaseId })).toMatchObject({ purchaseState: 1 });
    expect(await operator.putFaults({ packageName, faults: [] })).toEqual({ faults: [] });
    expect(await operator.reset({ packageName })).toBeUndefined();
  });

  test('eachPage reads all pages of a list, and only those that are used', async () => {
    const packageName = 'com.example.paged';
    await operator.createApp({ packageName });
    const product = { type: 'oneTime', price: 499, currency: 'EUR' } as const;
    await operator.putProduct({ packageName, productId: 'coins', ...product });
    for (const purchaseId of ['P-1', 'P-2', 'P-3', 'P-4', 'P-5']) {
      await operator.recordPurchase({ packageName, productId: 'coins', purchaseId });
    }
    let reads = 0;
    const pages = () =>
      eachPage((page) => {
        reads += 1;
        return operator.listPurchases({ packageName, pageSize: 2, ...page });
      });
    const found = (await Array.fromAsync(pages())).flatMap(({ purchases }) => purchases);
    expect(new Set(found.map(({ purchaseId }) => purchaseId)).size).toBe(5);
    expect(reads).toBe(3);
    for await (const _ of pages()) break;
    expect(reads).toBe(4);
  });
});

describe('errors of the operator API', () => {
  test('an error of the operator API has its status, request id and problem details', async () => {
    const error = await errorOf(operator.getApp({ packageName: 'com.example.none' }));
    const facts = { operation: 'getApp', httpStatus: 404, code: undefined, isOutcomeUnknown: false };
    expect(error).toMatchObject({ name: 'OpenTillError', ...facts });
    expect(error.requestId).toMatch(/^[\w-]+$/);
    expect(error.problem).toEqual({
      type: '/docs/problems#not-found',
      title: expect.any(String),
      status: 404,
      detail: expect.stringContaining('com.example.none'),
    });
    expect(error.message).toMatch(/^getApp: .*com\.example\.none.* \(HTTP 404\)$/);
  });
});

test.each(['a key-0123456789\n', 'kéy-0123456789', ''])(
  'an operator key that is not a valid header value is rejected without being repeated: %j',
  (operatorKey) => {
    const make = () => new OperatorClient({ host: server.operatorUrl, operatorKey });
    expect(make).toThrow(TypeError);
    expect(make).toThrow('operatorKey: expected visible ASCII characters without spaces or line breaks');
  },
);

describe('hosts', () => {
  const make = (host: string, allowHttp?: boolean) =>
    new OperatorClient({ host, operatorKey: adminKey, allowHttp });

  test.each([
    '',
    'iap.example.com?x=1',
    'https://user@iap.example.com',
    'https://:secret@iap.example.com',
    'ftp://iap.example.com',
    'iap.example.com#a',
  ])('an invalid host is rejected: %j', (host) => {
    expect(() => make(host)).toThrow(/^host: expected a host/);
  });

  test.each(['http://127.0.0.1.example.com', 'http://10.0.0.1:8080', 'http://not-localhost'])(
    'plain http to another machine is rejected unless it is allowed: %s',
    (host) => {
      expect(() => make(host)).toThrow(/^host: expected https/);
      expect(() => make(host, true)).not.toThrow();
    },
  );

  test.each([
    ['iap.example.com', 'https://iap.example.com/operator/v1/apps'],
    ['https://example.com/store/', 'https://example.com/store/operator/v1/apps'],
    ['http://localhost:8081', 'http://localhost:8081/operator/v1/apps'],
    ['http://[::1]:8081', 'http://[::1]:8081/operator/v1/apps'],
  ])('a client with the host %s calls %s', async (host, url) => {
    const called: string[] = [];
    const fetch = async (to: string) => {
      called.push(to);
      return Response.json({ apps: [] });
    };
    await new OperatorClient({ host, operatorKey: adminKey, fetch }).listApps();
    expect(called).toEqual([url]);
  });
});

test.each([
  ['', 9000],
  ['.', 9001],
  ['..', 9001],
])('the path value %j is rejected, because it would change the call', async (packageName, code) => {
  const error = await errorOf(operator.getApp({ packageName }));
  expect(error).toMatchObject({ operation: 'getApp', code, httpStatus: undefined });
});
