// The developer API: operator operations for the app of the access token, on the public listener.

import { developerApi, developerOperations } from '@opentill/contract/developer-api.ts';
import { expect, test } from 'vitest';
import { listedActions } from '../../../../test/support/calls/listed-actions.ts';
import {
  adminKey,
  call,
  createTestApp,
  operatorOf,
  recordTestPurchase,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callDeveloper, expectAsListed, urlOf } from '../../../../test/support/http/checked-call.ts';

const path = {
  ...{ productId: 'coins', purchaseId: 'any', firstPurchaseId: 'any', deliveryId: '1' },
  ...{ periodIndex: '1', attempt: '1' },
};

const server = await useTestServer();
const app = await createTestApp(server);

test('changes through the developer API have the app as their author, and are in its request log instead of the audit trail', async () => {
  const body = { productId: 'coins', purchaseId: 'P-1' };
  await callDeveloper(server, developerApi.recordPurchase, { body, key: app.token });
  const { packageName } = app;
  const { history } = await operatorOf(server).getPurchase({ packageName, purchaseId: 'P-1' });
  expect(history).toMatchObject([{ madeBy: 'app' }]);
  expect(await listedActions(server, { by: 'app' })).toEqual([]);
});

test('a record of another app gets 404 like a missing one', async () => {
  await recordTestPurchase(server, await createTestApp(server, 'com.example.foreign'), {
    purchaseId: 'foreign',
  });
  const voidIt = (purchaseId: string) =>
    callDeveloper(server, developerApi.voidPurchase, { path: { purchaseId }, key: app.token });
  const [foreign, unknown] = [await voidIt('foreign'), await voidIt('none')];
  expect([foreign.status, foreign.body.error.code]).toEqual([404, 9001]);
  expect(foreign.text.replaceAll('foreign', 'none')).toBe(unknown.text);
});

test.each(developerOperations.sandbox.map((operation) => [operation.operationId, operation] as const))(
  '%s without a valid token returns 401 in the shape of both APIs',
  async (_, operation) => {
    const url = server.publicUrl + urlOf(operation, { path });
    for (const authorization of ['', `bearer ${app.token}`, `Bearer ${adminKey}`]) {
      const response = await call(url, { method: operation.method, headers: { authorization } });
      expectAsListed(operation, response);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(response.body.error).toEqual({ code: 401, message: response.body.detail });
    }
  },
);
