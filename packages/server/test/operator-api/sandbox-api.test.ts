// The sandbox API: operator operations for the app of the access token, on the public listener.

import { getPurchase } from '@opentill/contract/operator-api/getPurchase.ts';
import { sandboxApi, sandboxOperations } from '@opentill/contract/sandbox-api.ts';
import { expect, test } from 'vitest';
import { listedActions } from '../audit/listed-actions.ts';
import { adminKey, call, createTestApp, recordTestPurchase, useTestServer } from '../harness.ts';
import { callOperator, callSandbox, expectAsListed, urlOf } from './checked-call.ts';

const { cancelSubscription, getSubscription, reactivateSubscription, recordPurchase, voidPurchase } =
  sandboxApi;

const anyPath = {
  ...{ productId: 'coins', purchaseId: 'any', firstPurchaseId: 'any', deliveryId: '1' },
  ...{ periodIndex: '1', attempt: '1' },
};

const server = await useTestServer();
const app = await createTestApp(server, 'com.example.own');
const other = await createTestApp(server, 'com.example.foreign');
await recordTestPurchase(server, other, { purchaseId: 'foreign', productId: 'monthly' });

function record(body: unknown) {
  return callSandbox(server, recordPurchase, { body, key: app.token });
}

test('changes through the sandbox API have the app as their author, and are in its request log instead of the audit trail', async () => {
  const { body } = await record({ productId: 'coins' });
  const path = { packageName: app.packageName, purchaseId: body.purchaseId };
  expect((await callOperator(server, getPurchase, { path })).body.history).toMatchObject([{ madeBy: 'app' }]);
  expect(await listedActions(server, { subject: 'coins', by: 'app' })).toEqual([]);
});

test('nothing of another app can be read or changed: it returns 404 like a missing record', async () => {
  const key = app.token;
  const path = { purchaseId: 'foreign', firstPurchaseId: 'foreign' };
  const none = { purchaseId: 'none', firstPurchaseId: 'none' };
  for (const operation of [voidPurchase, getSubscription, cancelSubscription, reactivateSubscription]) {
    const foreign = await callSandbox(server, operation, { path, key });
    const unknown = await callSandbox(server, operation, { path: none, key });
    expect(foreign.status).toBe(404);
    expect(foreign.text.replaceAll('foreign', 'none')).toBe(unknown.text);
    expect(foreign.body.error.code).toBe(9001);
  }
});

test.each(sandboxOperations.map((operation) => [operation.operationId, operation] as const))(
  '%s without a valid token returns 401 in the shape of both APIs',
  async (_, operation) => {
    const url = server.publicUrl + urlOf(operation, { path: anyPath });
    for (const authorization of [
      undefined,
      'Bearer wrong',
      app.token,
      `bearer ${app.token}`,
      `Bearer ${adminKey}`,
    ]) {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await call(url, { method: operation.method, headers });
      expectAsListed(operation, answer);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.body.error).toEqual({ code: 401, message: answer.body.detail });
    }
  },
);
