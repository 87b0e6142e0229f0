// Brings the subscription of a new app into each of its states, by calls and by the clock.

import { changeAutoPayment, voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import {
  createTestApp,
  recordTestPurchase,
  requestToken,
  type TestApp,
  type TestServer,
  testNow,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';

/** A calendar month after the start: 15 April 2026, noon UTC. */
export const firstExpiry = Date.UTC(2026, 3, 15, 12);

/** Another month later. */
export const secondExpiry = Date.UTC(2026, 4, 15, 12);

/** When a staged subscription is cancelled, or its period voided, before its end. */
export const changedAt = testNow + 1_000;

const firstPurchaseId = 'S-1';

export type Stage =
  | 'active'
  | 'auto-payment off'
  | 'payment outstanding'
  | 'expired'
  | 'terminated'
  | 'voided';

/** An app whose subscription S-1 started at testNow; the clock is set to the time of the stage, and the token is valid. */
export async function stageSubscription(server: TestServer, stage: Stage): Promise<TestApp> {
  await server.clock.set(testNow);
  const app = await createTestApp(server, `com.staged.${crypto.randomUUID()}`);
  await recordTestPurchase(server, app, {
    productId: 'monthly',
    purchaseId: firstPurchaseId,
    developerPayload: 'order-1',
  });
  await server.clock.set(changedAt);
  if (stage === 'auto-payment off' || stage === 'expired') await cancel(server, app);
  if (stage === 'voided') await voidTestPurchase(server, app, firstPurchaseId);
  if (stage === 'payment outstanding' || stage === 'expired' || stage === 'terminated') {
    await server.clock.set(firstExpiry);
  }
  const present = await withFreshToken(server, app);
  if (stage === 'terminated') await cancel(server, present);
  return present;
}

export async function withFreshToken(server: TestServer, app: TestApp): Promise<TestApp> {
  const { body } = await requestToken(server, app);
  return { ...app, token: body.access_token };
}

async function cancel(server: TestServer, app: TestApp): Promise<void> {
  const { body } = await changeAutoPayment(server, app, { purchaseId: firstPurchaseId, action: 'cancel' });
  if (body.responseCode !== 0) throw new Error('The cancel was not possible.');
}

/** Inserts a paid second period, S-2. */
export async function writeSecondPeriod(server: TestServer, { packageName }: TestApp): Promise<void> {
  await query(
    server.connection,
    `insert into purchase (package_name, purchase_id, product_id, purchase_time, developer_payload, price,
        currency, first_purchase_id, period_index, start_time, expiry_time)
      select package_name, 'S-2', product_id, ${firstExpiry}, developer_payload, price, currency,
        first_purchase_id, 1, ${firstExpiry}, ${secondExpiry}
      from subscription where package_name = '${packageName}';
    update subscription set last_period_index = 1, last_purchase_id = 'S-2', last_start_time = ${firstExpiry},
      expiry_time = ${secondExpiry}, next_payment_time = ${secondExpiry} where package_name = '${packageName}'`,
  );
}
