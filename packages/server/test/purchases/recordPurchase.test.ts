// recordPurchase: the recorded purchase, retries, which write nothing, and rejected recordings.

import { getPurchase } from '@opentill/contract/operator-api/getPurchase.ts';
import { putProduct } from '@opentill/contract/operator-api/putProduct.ts';
import { recordConsumption } from '@opentill/contract/operator-api/recordConsumption.ts';
import { recordPurchase } from '@opentill/contract/operator-api/recordPurchase.ts';
import { updateApp } from '@opentill/contract/operator-api/updateApp.ts';
import { describe, expect, test } from 'vitest';
import {
  callPurchaseApi,
  createTestApp,
  recordKey,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { auditLedger } from './ledger-audit.ts';

const server = await useTestServer();
const app = await createTestApp(server);

function record(body: unknown) {
  return callOperator(server, recordPurchase, { path: app, body, key: recordKey });
}

async function recordOf(purchaseId: string) {
  return (await callOperator(server, getPurchase, { path: { ...app, purchaseId } })).body;
}

const historyOf = async (purchaseId: string): Promise<{ type: string }[]> =>
  (await recordOf(purchaseId)).history;

describe('recordPurchase: first recording', () => {
  test('a purchase recorded with only a product gets a time, a price and an id, and the response is the whole record', async () => {
    const { status, body } = await record({ productId: 'coins' });
    expect(status).toBe(201);
    expect(body).toEqual({
      packageName: app.packageName,
      purchaseId: expect.stringMatching(/^SANDBOX[0-9]{13}$/),
      productId: 'coins',
      type: 'oneTime',
      purchaseTime: testNow,
      developerPayload: '',
      price: 499,
      currency: 'EUR',
      consumptionState: 0,
      purchaseState: 0,
      recordedBy: 'operator:checkout',
    });
  });

  test('a recorded purchase has every field that was sent, and the purchase API shows them', async () => {
    const sent = {
      productId: 'coins',
      purchaseId: 'A-z_0.9',
      orderId: 'Bestellung № 1 🎮',
      purchaseTime: testNow - 5000,
      developerPayload: '🎮'.repeat(200),
      buyerId: 'buyer "1"',
      price: 0,
    };
    const { status, body } = await record(sent);
    expect(status).toBe(201);
    expect(body).toMatchObject(sent);
    const path = `/details/A-z_0.9/${app.packageName}`;
    const details = await callPurchaseApi(server, { token: app.token, path });
    expect(details.body).toEqual({
      consumptionState: 0,
      developerPayload: sent.developerPayload,
      purchaseState: 0,
      purchaseTime: sent.purchaseTime,
    });
  });

  test('a disabled app rejects new purchases with 409, and returns 200 for a recorded one', async () => {
    const path = await createTestApp(server, 'com.example.stopped');
    const recordThere = (body: unknown) => callOperator(server, recordPurchase, { path, body });
    expect((await recordThere({ productId: 'coins', purchaseId: 'before' })).status).toBe(201);
    await callOperator(server, updateApp, { path, body: { disabled: true } });
    for (const productId of ['coins', 'monthly']) {
      const { status, body } = await recordThere({ productId });
      expect(status).toBe(409);
      expect(body.detail).toContain('com.example.stopped is disabled');
    }
    expect((await recordThere({ productId: 'coins', purchaseId: 'before' })).status).toBe(200);
    await callOperator(server, updateApp, { path, body: { disabled: false } });
    expect((await recordThere({ productId: 'coins' })).status).toBe(201);
  });
});

describe('recordPurchase: repeated recording', () => {
  test('recording the same purchaseId again returns 200 with the existing record and writes nothing', async () => {
    const sent = { productId: 'coins', purchaseId: 'repeated', buyerId: 'b' };
    const first = await record(sent);
    await server.clock.advance(60_000);
    const again = await record(sent);
    await server.clock.set(testNow);
    expect(again.status).toBe(200);
    expect(again.text).toBe(first.text);
    expect(await historyOf('repeated')).toHaveLength(1);
  });

  test.each([
    ['productId', { productId: 'monthly' }],
    ['purchaseId', { purchaseId: 'another' }],
    ['price', { price: 1 }],
  ])(
    'recording again with a different %s returns 409 naming the field, and changes nothing',
    async (field, other) => {
      const first = { productId: 'coins', purchaseId: 'compared', orderId: 'compared' };
      const recorded = await record(first);
      const response = await record({ productId: 'coins', orderId: 'compared', ...other });
      expect(response.status).toBe(409);
      expect(response.body.errors).toEqual([{ path: `/${field}`, message: expect.any(String) }]);
      expect((await record(first)).body).toEqual(recorded.body);
    },
  );

  test.each([
    ['orderId', { orderId: 'o-absent' }],
    ['buyerId', { buyerId: 'ann' }],
    ['developerPayload', { developerPayload: 'x' }],
  ])(
    'a known purchaseId without the recorded %s, or with another one, is another sale: 409',
    async (field, recorded) => {
      const sent = { productId: 'coins', purchaseId: `no-${field}` };
      expect((await record({ ...sent, ...recorded })).status).toBe(201);
      for (const other of [{}, { [field]: 'another' }]) {
        const { status, body } = await record({ ...sent, ...other });
        expect([status, body.errors]).toMatchObject([409, [{ path: `/${field}` }]]);
      }
    },
  );

  test('a retry without a price is 200 after the product got another price, currency and title', async () => {
    const path = { ...app, productId: 'repriced' };
    const product = { type: 'oneTime', price: 100, currency: 'EUR' };
    await callOperator(server, putProduct, { path, body: product });
    const sent = { productId: 'repriced', purchaseId: 'repriced', buyerId: 'ann' };
    const first = await record(sent);
    const changed = { ...product, price: 200, currency: 'USD', title: 'New' };
    expect((await callOperator(server, putProduct, { path, body: changed })).status).toBe(200);
    const retry = await record(sent);
    expect([first.status, retry.status, retry.text]).toEqual([201, 200, first.text]);
  });

  test.each([
    ['purchaseId', { purchaseId: 'raced' }],
    ['orderId', { orderId: 'raced order' }],
  ])('of fifty concurrent recordings of the same %s one returns 201 and the others 200', async (_, id) => {
    const sent = { productId: 'coins', ...id };
    const responses = await Promise.all(Array.from({ length: 50 }, () => record(sent)));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array.from({ length: 49 }, () => 200), 201]);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(await historyOf(responses[0]?.body.purchaseId)).toHaveLength(1);
  });
});

describe('recordPurchase: consumed on the device', () => {
  test('a purchase recorded as consumed is consumed at its purchaseTime and writes two events, alone or with others', async () => {
    const recordAs = (purchaseId: string, consumed?: boolean) =>
      record({ productId: 'coins', purchaseId, purchaseTime: testNow - 5, consumed });
    const sent = [recordAs('c-1', true), recordAs('c-2'), recordAs('c-3', true), recordAs('c-4', false)];
    const responses = await Promise.all(sent);
    const consumed = { consumptionState: 1, consumedTime: testNow - 5, consumedBy: 'operator:checkout' };
    const open = { consumptionState: 0, consumedTime: undefined, consumedBy: undefined };
    for (const [index, expected] of [consumed, open, consumed, open].entries()) {
      const { status, body } = responses[index] as (typeof responses)[number];
      const { consumptionState, consumedTime, consumedBy } = body;
      expect([status, { consumptionState, consumedTime, consumedBy }]).toEqual([201, expected]);
      const { history, voidEffects: _, ...stored } = await recordOf(body.purchaseId);
      expect(stored).toEqual(body);
      const types = history.map(({ type, eventTime }: { type: string; eventTime: number }) => [
        type,
        eventTime,
      ]);
      const recorded = ['purchase.completed', testNow];
      expect(types).toEqual(expected === open ? [recorded] : [recorded, ['purchase.consumed', testNow]]);
    }
    expect(await auditLedger(server.connection)).toEqual({});
  });

  test('a repeat with consumed matches a purchase that is consumed by now, and else gets 409 that names recordConsumption', async () => {
    const sent = { productId: 'coins', purchaseId: 'late' };
    await record(sent);
    const { status, body } = await record({ ...sent, consumed: true });
    expect([status, body.detail]).toEqual([409, expect.stringContaining('use recordConsumption')]);
    await callOperator(server, recordConsumption, { path: { ...app, purchaseId: 'late' } });
    for (const consumed of [true, false, undefined]) {
      expect((await record({ ...sent, consumed })).status).toBe(200);
    }
    expect((await recordOf('late')).history).toHaveLength(2);
  });
});

describe('recordPurchase: rejected recording', () => {
  test.each([
    ['a product that the app has not', { productId: 'none' }, '/productId'],
    ['a purchaseId of 21 characters', { purchaseId: 'p'.repeat(21) }, '/purchaseId'],
    ['a purchaseId with a slash', { purchaseId: 'a/b' }, '/purchaseId'],
    ['an orderId of 65 characters', { orderId: 'o'.repeat(65) }, '/orderId'],
    ['a buyerId of 129 characters', { buyerId: 'b'.repeat(129) }, '/buyerId'],
    ['a developerPayload of 201 code points', { developerPayload: '🎮'.repeat(201) }, '/developerPayload'],
    ['NUL in a text', { developerPayload: 'a\u0000b' }, '/developerPayload'],
    ['a lone surrogate in a text', { buyerId: '\ud83d' }, '/buyerId'],
    ['a price above 10^12', { price: 1_000_000_000_001 }, '/price'],
    ['a purchaseTime of 12 digits', { purchaseTime: 999_999_999_999 }, '/purchaseTime'],
    ['null for a field', { buyerId: null }, '/buyerId'],
    ['a field that does not exist', { buyerID: 'b' }, '/buyerID'],
    ['a purchaseTime more than a minute ahead', { purchaseTime: testNow + 60_001 }, '/purchaseTime'],
  ])('a recording with %s is rejected with 400 naming the field', async (_, wrong, path) => {
    const productId = path === '/productId' ? {} : { productId: 'coins' };
    const response = await record({ ...productId, ...wrong });
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([{ path, message: expect.any(String) }]);
  });

  test('a recording accepts every field at its limit: 20, 64 and 128 characters, 10^12, a minute ahead', async () => {
    const sent = {
      productId: 'coins',
      purchaseId: 'p'.repeat(20),
      orderId: '🎮'.repeat(64),
      buyerId: '🎮'.repeat(128),
      price: 1_000_000_000_000,
      purchaseTime: testNow + 60_000,
    };
    expect((await record(sent)).status).toBe(201);
  });
});
