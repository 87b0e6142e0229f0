// Subscriptions of an erased buyer end with their paid month.

import { eraseBuyer } from '@opentill/contract/operator-api/eraseBuyer.ts';
import { expect, test } from 'vitest';
import { advance } from '../app-clock/clock-calls.ts';
import {
  createTestApp,
  freshDatabase,
  operate,
  operatorOf,
  recordTestPurchase,
  startTestServer,
  type TestServer,
} from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { changeAutoPayment } from '../purchase-changes.ts';
import { exported, imported } from '../transfer/transfer.ts';

test('a subscription whose buyer was erased cannot be reactivated, also after an import, and expires at its end', async () => {
  await using server = await startTestServer();
  const app = await createTestApp(server);
  const { packageName } = app;
  const bought = { productId: 'monthly', purchaseId: 'S-1', buyerId: 'ann' };
  await recordTestPurchase(server, app, bought);
  await operatorOf(server).cancelSubscription({ packageName, firstPurchaseId: 'S-1' });
  await callOperator(server, eraseBuyer, { body: { buyerId: 'ann' } });
  await using copied = await freshDatabase();
  await imported(copied.connection, await exported(server.connection));
  await using copy = await startTestServer({ database: copied });
  for (const store of [server, copy]) await expectToEnd(store);

  async function expectToEnd(store: TestServer): Promise<void> {
    const path = `/apps/${packageName}/subscriptions/S-1`;
    const refused = await operate(store, 'POST', `${path}/reactivate`);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('was erased')]);
    const asked = { purchaseId: 'S-1', action: 'reactivate' } as const;
    const { status, body } = await changeAutoPayment(store, app, asked);
    expect([status, body]).toEqual([200, { responseCode: 1, purchaseId: 'S-1' }]);
    const { happened } = await advance(store, app, { by: 'P40D' });
    expect(happened).toMatchObject([{ type: 'subscription.expired', expiryReason: 'cancelled' }]);
    expect((await operate(store, 'GET', path)).body).toMatchObject({ state: 'expired', months: [{}] });
  }
});
