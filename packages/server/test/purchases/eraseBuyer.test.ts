// eraseBuyer: nothing of a buyer is left in the database, and nothing of anybody else is lost.

import { eraseBuyer } from '@opentill/contract/operator-api/eraseBuyer.ts';
import { recordPurchase } from '@opentill/contract/operator-api/recordPurchase.ts';
import type { Delivery } from '@opentill/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { listedActions } from '../../../../test/support/calls/listed-actions.ts';
import { changeAutoPayment } from '../../../../test/support/calls/purchase-changes.ts';
import {
  callPurchaseApi,
  createTestApp,
  freshDatabase,
  operate,
  operatorOf,
  recordTestPurchase,
  startTestServer,
  type TestApp,
  useForFile,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import { exported, imported } from '../../../../test/support/transfer/transfer.ts';
import { responding } from '../../../../test/support/webhooks/test-receiver.ts';
import {
  createHookedApp,
  deliveriesOf,
  startWebhookStage,
} from '../../../../test/support/webhooks/webhook-stage.ts';
import { advance } from '../app-clock/clock-calls.ts';
import { columnsWith } from '../columns-with.ts';
import { putTestFaults } from '../sandbox/sandbox-stage.ts';

const stage = await useForFile(startWebhookStage());
const { server } = stage;
// A receiver that returns what it received.
stage.receiver.react(({ text }) => responding(200, text));

const newApp = () => createHookedApp(stage, stage.nextPackageName());
const erase = (body: object) => callOperator(server, eraseBuyer, { body });
const cancel = ({ packageName }: TestApp, firstPurchaseId: string) =>
  operatorOf(server).cancelSubscription({ packageName, firstPurchaseId });
const read = ({ token, packageName }: TestApp, kind: string, purchaseId: string) =>
  callPurchaseApi(server, { token, path: `/${kind}/${purchaseId}/${packageName}` });

/** Two purchases of a buyer and two periods, which have been delivered and read. */
async function buyAll(app: TestApp, buyerId: string, developerPayload: string): Promise<void> {
  const subscription = `S-${buyerId}`;
  const sent = { buyerId, developerPayload };
  await recordTestPurchase(server, app, { ...sent, purchaseId: `P-${buyerId}` });
  await recordTestPurchase(server, app, { ...sent, purchaseId: `Q-${buyerId}` });
  await recordTestPurchase(server, app, { ...sent, purchaseId: subscription, productId: 'monthly' });
  await advance(server, app, { by: 'P32D' });
  await cancel(app, subscription);
  await stage.job.runOnce();
  await read(app, 'details', `P-${buyerId}`);
  await read(app, 'recurring-details', subscription);
}

const withoutResponses = (deliveries: readonly Delivery[]) =>
  deliveries.map(({ attempts, ...delivery }) => ({
    ...delivery,
    attempts: attempts.map((attempt) => ({ ...attempt, response: '' })),
  }));

test('eraseBuyer leaves no buyer id and no payload of the buyer anywhere in the database', async () => {
  const app = await newApp();
  await buyAll(app, 'ann', 'payload-of-ann');
  await buyAll(app, 'bob', 'payload-of-bob');
  // The reads are in the log when the buyer is erased, as those of another server may be afterwards.
  const { requests } = await operatorOf(server).listRequests({ packageName: app.packageName });
  expect(requests.filter(({ response }) => response.includes('"developerPayload":"***"'))).toHaveLength(4);
  const ofBob = await columnsWith(server.connection, 'payload-of-bob');
  expect(ofBob).toEqual(await columnsWith(server.connection, 'payload-of-ann'));
  expect(ofBob).toEqual([
    'event.record',
    'purchase.developer_payload',
    'subscription.developer_payload',
    'webhook_delivery.attempts',
  ]);
  const eventsBefore = await operatorOf(server).listEvents({ packageName: app.packageName });
  const deliveriesBefore = await deliveriesOf(stage, app);

  const erased = await erase({ buyerId: 'ann' });
  expect(erased.body).toEqual({ rows: expect.any(Number), done: true });
  expect(await columnsWith(server.connection, 'payload-of-ann')).toEqual([]);
  const buyerIds = await query(server.connection, 'select distinct buyer_id as id from purchase');
  expect(buyerIds.map(({ id }) => id).sort()).toEqual(['bob', null]);
  expect(await query(server.connection, "select from subscription where buyer_id = 'ann'")).toEqual([]);

  expect(await columnsWith(server.connection, 'payload-of-bob')).toEqual(ofBob);
  const events = await operatorOf(server).listEvents({ packageName: app.packageName });
  const before = JSON.stringify(eventsBefore).replaceAll('payload-of-ann', '');
  expect(JSON.stringify(events)).toBe(before);
  expect(withoutResponses(await deliveriesOf(stage, app))).toEqual(withoutResponses(deliveriesBefore));
  const { body } = await read(app, 'details', 'P-ann');
  expect(body).toMatchObject({ developerPayload: '', purchaseState: 0 });
  expect((await erase({ buyerId: 'ann' })).body).toEqual({ rows: 0, done: true });
});

test('a late retry of a purchase whose buyer was erased gets the record, also in another store after an import', async () => {
  await using own = await startTestServer();
  const app = await createTestApp(own);
  const bought = { productId: 'coins', purchaseId: 'P-1', buyerId: 'ann', developerPayload: 'of-ann' };
  const recordIn = (store: typeof own, more: object) =>
    callOperator(store, recordPurchase, { path: app, body: { ...bought, ...more } });
  expect((await recordIn(own, {})).status).toBe(201);
  expect((await callOperator(own, eraseBuyer, { body: { buyerId: 'ann' } })).body.rows).toBe(1);
  await using copied = await freshDatabase();
  await imported(copied.connection, await exported(own.connection));
  await using copy = await startTestServer({ database: copied });
  for (const store of [own, copy]) {
    const { status, body } = await recordIn(store, {});
    expect([status, body.developerPayload]).toEqual([200, '']);
    expect(body).not.toHaveProperty('buyerId');
    expect((await recordIn(store, { price: 1 })).body.errors).toMatchObject([{ path: '/price' }]);
  }
});

test('an erasure writes one action, with the ticket and without the buyer id', async () => {
  const app = await newApp();
  const buyerId = 'gus';
  await recordTestPurchase(server, app, { buyerId, purchaseId: 'P-1' });
  await erase({ buyerId, ticket: 'T-7' });
  await erase({ buyerId, ticket: 'T-7' });
  const listed = await listedActions(server, { operationId: 'eraseBuyer' });
  const actions = listed.filter(({ ticket }) => ticket === 'T-7');
  expect(actions).toMatchObject([{ detail: { allApps: true } }]);
  expect(actions[0]).not.toHaveProperty('subject');
  expect(JSON.stringify(actions)).not.toContain(buyerId);
});

test('eraseBuyer erases a buyer in all apps, or with a packageName in that app only', async () => {
  const apps = [await newApp(), await newApp(), await newApp()];
  const bought = { buyerId: 'cat', purchaseId: 'P-1' };
  for (const app of apps) await recordTestPurchase(server, app, bought);
  const leftIn = async () => {
    const { purchases } = await operatorOf(server).listPurchases({ buyerId: 'cat' });
    return purchases.map(({ packageName }) => packageName).sort();
  };
  const [first, ...others] = apps.map(({ packageName }) => packageName);
  expect((await erase({ buyerId: 'cat', packageName: first })).body.done).toBe(true);
  expect(await leftIn()).toEqual(others);
  expect((await erase({ buyerId: 'cat' })).body.done).toBe(true);
  expect(await leftIn()).toEqual([]);
  expect((await erase({ buyerId: 'cat', packageName: 'com.example.none' })).status).toBe(400);
});

test('eraseBuyer gets 409 and changes nothing while a subscription of the buyer has auto-payment on', async () => {
  const app = await newApp();
  const sent = { buyerId: 'dan', developerPayload: 'payload-of-dan' };
  await recordTestPurchase(server, app, { ...sent, purchaseId: 'P-1' });
  await recordTestPurchase(server, app, { ...sent, purchaseId: 'S-1', productId: 'monthly' });
  const before = await columnsWith(server.connection, 'payload-of-dan');
  const refused = await erase({ buyerId: 'dan' });
  expect(refused.status).toBe(409);
  expect(await erase({ buyerId: 'dan', checkOnly: true })).toMatchObject({
    status: 409,
    body: { detail: refused.body.detail },
  });
  expect(refused.body.detail).toContain('S-1');
  expect(await columnsWith(server.connection, 'payload-of-dan')).toEqual(before);
  await cancel(app, 'S-1');
  // Without a write, once nothing refuses it.
  expect(await erase({ buyerId: 'dan', checkOnly: true })).toMatchObject({
    status: 200,
    body: { rows: 0, done: false },
  });
  expect(await columnsWith(server.connection, 'payload-of-dan')).toEqual(before);
  expect((await erase({ buyerId: 'dan' })).body.done).toBe(true);
  expect(await columnsWith(server.connection, 'payload-of-dan')).toEqual([]);
});

test('eraseBuyer gets 409 while a charge of a cancelled subscription of the buyer is open', async () => {
  const app = await newApp();
  const sent = { buyerId: 'eve', developerPayload: 'payload-of-eve' };
  await recordTestPurchase(server, app, { ...sent, purchaseId: 'S-1', productId: 'monthly' });
  await putTestFaults(server, app, [{ operation: 'charge', outcome: 'pending', times: 1 }]);
  await advance(server, app, { by: 'P31D' });
  await cancel(app, 'S-1');
  expect((await erase({ buyerId: 'eve' })).status).toBe(409);
  await advance(server, app, { by: 'P1D' });
  expect((await erase({ buyerId: 'eve' })).body.done).toBe(true);
  expect(await columnsWith(server.connection, 'payload-of-eve')).toEqual([]);
});

test('a subscription whose buyer was erased cannot be reactivated, also after an import, and expires at its end', async () => {
  await using own = await startTestServer();
  const app = await createTestApp(own);
  const { packageName } = app;
  const bought = { productId: 'monthly', purchaseId: 'S-1', buyerId: 'ann' };
  await recordTestPurchase(own, app, bought);
  await operatorOf(own).cancelSubscription({ packageName, firstPurchaseId: 'S-1' });
  await callOperator(own, eraseBuyer, { body: { buyerId: 'ann' } });
  await using copied = await freshDatabase();
  await imported(copied.connection, await exported(own.connection));
  await using copy = await startTestServer({ database: copied });
  for (const store of [own, copy]) {
    const path = `/apps/${packageName}/subscriptions/S-1`;
    const refused = await operate(store, 'POST', `${path}/reactivate`);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('was erased')]);
    const asked = { purchaseId: 'S-1', action: 'reactivate' } as const;
    const { status, body } = await changeAutoPayment(store, app, asked);
    expect([status, body]).toEqual([200, { responseCode: 1, purchaseId: 'S-1' }]);
    const { happened } = await advance(store, app, { by: 'P40D' });
    expect(happened).toMatchObject([{ type: 'subscription.expired', expiryReason: 'cancelled' }]);
    expect((await operate(store, 'GET', path)).body).toMatchObject({ state: 'expired', periods: [{}] });
  }
});
