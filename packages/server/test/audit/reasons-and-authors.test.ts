// Who changed something and why, after retention has removed the events.

import { cancelSubscription } from '@opentill/contract/operator-api/cancelSubscription.ts';
import { reactivateSubscription } from '@opentill/contract/operator-api/reactivateSubscription.ts';
import { recordPurchase } from '@opentill/contract/operator-api/recordPurchase.ts';
import { voidPurchase } from '@opentill/contract/operator-api/voidPurchase.ts';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { listedActions } from '../../../../test/support/calls/listed-actions.ts';
import { changeAutoPayment } from '../../../../test/support/calls/purchase-changes.ts';
import {
  newTestApp,
  operatorOf,
  recordKey,
  recordTestPurchase,
  supportKey,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { CleaningJob } from '../../src/jobs/cleaning-job.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';

const server = await useTestServer();
const operator = operatorOf(server);
const why = { reasonCode: 'customerRequest', note: 'called twice', ticket: 'T-1' };
const dayMs = 86_400_000;

/** Removes everything that retention removes, years later. */
async function cleanUp(): Promise<void> {
  await using database = await openDatabase(server.connection, 2);
  await server.clock.set(testNow + 3_650 * dayMs);
  const clock = new StoreClock(server.clock, 'sandbox');
  const log = pino({ level: 'silent' });
  await using job = new CleaningJob({ database, clock, log, retentionDays: 7, waitsForMonths: false });
  await job.runOnce();
  await server.clock.set(testNow);
}

test('author, reason, note and ticket of a void remain after retention has removed its events', async () => {
  const { packageName } = await newTestApp(server);
  const path = { packageName, purchaseId: 'p' };
  const sale = { productId: 'coins', purchaseId: 'p' };
  const recorded = await callOperator(server, recordPurchase, { path, body: sale, key: recordKey });
  const voided = await callOperator(server, voidPurchase, { path, body: why, key: supportKey });
  expect(voided.body).toMatchObject({ voidReason: 'customer' });
  await cleanUp();
  const authors = { recordedBy: 'operator:checkout', voidedBy: 'operator:helpdesk', history: [] };
  expect(await operator.getPurchase(path)).toMatchObject(authors);
  expect(await listedActions(server, { packageName, subject: 'p' })).toMatchObject([
    { operationId: 'voidPurchase', madeBy: 'operator:helpdesk', clientAddress: '127.0.0.1', ...why },
  ]);
  const text = 'select recorded_from, recorded_request_id from purchase where package_name = $1';
  expect(await query(server.connection, text, [packageName])).toEqual([
    { recorded_from: '127.0.0.1', recorded_request_id: recorded.headers.get('x-request-id') },
  ]);
});

test('a reasonCode implies whose request a void or cancel was, and a different reason is rejected with 400', async () => {
  const app = await newTestApp(server);
  await recordTestPurchase(server, app, { purchaseId: 'p' });
  await recordTestPurchase(server, app, { purchaseId: 's', productId: 'monthly' });
  const path = { packageName: app.packageName, purchaseId: 'p', firstPurchaseId: 's' };
  for (const body of [
    { reasonCode: 'fraud', reason: 'customer' },
    { reasonCode: 'customerRequest', reason: 'system' },
  ]) {
    expect((await callOperator(server, voidPurchase, { path, body })).status).toBe(400);
    expect((await callOperator(server, cancelSubscription, { path, body })).status).toBe(400);
  }
  const voided = await callOperator(server, voidPurchase, { path, body: { reasonCode: 'fraud' } });
  expect(voided.body.voidReason).toBe('system');
  const body = { reasonCode: 'chargeback', reason: 'system' };
  const cancelled = await callOperator(server, cancelSubscription, { path, body });
  expect(cancelled.body.cancelReason).toBe('system');
});

test('when a developer reactivates what the customer cancelled, subscription and event say who did it', async () => {
  const app = await newTestApp(server);
  await recordTestPurchase(server, app, { purchaseId: 's', productId: 'monthly' });
  const path = { packageName: app.packageName, firstPurchaseId: 's' };
  const read = () => operator.getSubscription(path);
  expect(await read()).not.toHaveProperty('autoPaymentChangedBy');
  await callOperator(server, cancelSubscription, { path, body: why, key: supportKey });
  expect((await read()).autoPaymentChangedBy).toBe('operator:helpdesk');
  await changeAutoPayment(server, app, { purchaseId: 's', action: 'reactivate' });
  expect(await read()).toMatchObject({ autoRenewing: true, autoPaymentChangedBy: 'app' });
  await callOperator(server, cancelSubscription, { path, key: supportKey });
  await callOperator(server, reactivateSubscription, { path, body: { note: 'as agreed' }, key: supportKey });
  const { events } = await operator.listEvents({ packageName: app.packageName });
  expect(events.map((event) => [event.type, 'madeBy' in event ? event.madeBy : undefined])).toEqual([
    ['subscription.started', undefined],
    ['subscription.auto_payment_cancelled', 'store'],
    ['subscription.auto_payment_reactivated', 'app'],
    ['subscription.auto_payment_cancelled', 'store'],
    ['subscription.auto_payment_reactivated', 'store'],
  ]);
});
