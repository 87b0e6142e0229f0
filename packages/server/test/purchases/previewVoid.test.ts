// previewVoid: what a void would change, and a void that happens only if it still would.

import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { previewVoid } from '@opentill/contract/operator-api/previewVoid.ts';
import { voidPurchase } from '@opentill/contract/operator-api/voidPurchase.ts';
import type { VoidEffect, VoidPreview } from '@opentill/contract/voids.ts';
import { describe, expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import {
  newTestApp,
  operatorOf,
  recordTestPurchase,
  supportKey,
  type TestApp,
  testNow,
  useTestServer,
} from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { tryConsume, voidTestPurchase } from '../purchase-changes.ts';
import {
  changeAutoPayment,
  firstExpiry,
  type Stage,
  secondExpiry,
  stageSubscription,
  writeSecondMonth,
} from '../subscriptions/staged-subscription.ts';

const server = await useTestServer();

async function preview({ packageName }: TestApp, purchaseId: string): Promise<VoidPreview> {
  const path = { packageName, purchaseId };
  const { status, body } = await callOperator(server, previewVoid, { path, key: supportKey });
  expect(status).toBe(200);
  return body;
}

function voidIf({ packageName }: TestApp, purchaseId: string, effectsHash: string) {
  const path = { packageName, purchaseId };
  return callOperator(server, voidPurchase, { path, body: { effectsHash }, key: supportKey });
}

async function eventsOf({ packageName }: TestApp): Promise<string[]> {
  const { events } = await operatorOf(server).listEvents({ packageName });
  return events.map(({ type }) => type);
}

const refund = { type: 'refund', price: 499, currency: 'EUR' } as const;
const voidedEvent = { type: 'event', eventType: 'purchase.voided' } as const;
const terminatedEvent = { type: 'event', eventType: 'subscription.terminated' } as const;
const subscriptionEnds = (state: 'active' | 'auto_payment_off' | 'payment_outstanding' | 'expired') =>
  ({ type: 'subscriptionEnds', firstPurchaseId: 'S-1', state }) as const;

describe('the effects', () => {
  test('of a one-time purchase are the end of access, its event and the refund', async () => {
    const app = await newTestApp(server);
    await recordTestPurchase(server, app, { purchaseId: 'P-1', orderId: 'order-1' });
    const { effects } = await preview(app, 'P-1');
    expect(effects).toEqual([{ type: 'accessEnds' }, voidedEvent, { ...refund, orderId: 'order-1' }]);
  });

  test('of a consumed purchase name the consumption, which a void does not take back', async () => {
    const app = await newTestApp(server);
    await recordTestPurchase(server, app, { purchaseId: 'P-1' });
    await tryConsume(server, app, 'P-1');
    const { effects } = await preview(app, 'P-1');
    expect(effects).toContainEqual({ type: 'consumed', consumedTime: testNow });
  });

  test.each<[Stage, VoidEffect[]]>([
    ['active', [{ type: 'accessEnds' }, subscriptionEnds('active'), voidedEvent, terminatedEvent, refund]],
    [
      'auto-payment off',
      [{ type: 'accessEnds' }, subscriptionEnds('auto_payment_off'), voidedEvent, terminatedEvent, refund],
    ],
    [
      'payment outstanding',
      [
        { type: 'accessEnded', time: firstExpiry },
        subscriptionEnds('payment_outstanding'),
        voidedEvent,
        terminatedEvent,
        refund,
      ],
    ],
    [
      'expired',
      [
        { type: 'accessEnded', time: firstExpiry },
        subscriptionEnds('expired'),
        voidedEvent,
        terminatedEvent,
        refund,
      ],
    ],
    [
      'terminated',
      [
        { type: 'accessEnded', time: firstExpiry },
        { type: 'subscriptionUnchanged', firstPurchaseId: 'S-1', state: 'terminated' },
        voidedEvent,
        refund,
      ],
    ],
    ['voided', []],
  ])(
    'of the newest month of a subscription in the stage "%s" are those that its void has',
    async (stage, effects) => {
      const app = await stageSubscription(server, stage);
      const before = await eventsOf(app);
      const previewed = await preview(app, 'S-1');
      expect(previewed.effects).toEqual(effects);
      expect(await eventsOf(app)).toEqual(before);
      expect((await voidIf(app, 'S-1', previewed.effectsHash)).status).toBe(200);
      const announced = effects.flatMap((effect) => (effect.type === 'event' ? [effect.eventType] : []));
      expect(await eventsOf(app)).toEqual([...before, ...announced]);
      const path = { ...app, firstPurchaseId: 'S-1' };
      const { body } = await callOperator(server, getSubscription, { path });
      expect(body.state).toBe('terminated');
      await server.clock.set(testNow);
    },
  );

  test('of an earlier month leave access and subscription unchanged', async () => {
    const app = await stageSubscription(server, 'active');
    await writeSecondMonth(server, app);
    const { effects, effectsHash } = await preview(app, 'S-1');
    expect(effects).toEqual([
      { type: 'accessContinues', until: secondExpiry },
      { type: 'subscriptionUnchanged', firstPurchaseId: 'S-1', state: 'active' },
      voidedEvent,
      refund,
    ]);
    expect((await voidIf(app, 'S-1', effectsHash)).status).toBe(200);
    const { body } = await callOperator(server, getSubscription, {
      path: { ...app, firstPurchaseId: 'S-1' },
    });
    expect(body).toMatchObject({ state: 'active', expiryTime: secondExpiry });
    await server.clock.set(testNow);
  });

  test('name an open charge, whose month would be voided when it is paid', async () => {
    const app = await stageSubscription(server, 'payment outstanding');
    const open = `update subscription set open_charge_time = ${firstExpiry} where package_name = $1`;
    await query(server.connection, open, [app.packageName]);
    const { effects } = await preview(app, 'S-1');
    expect(effects).toContainEqual({ type: 'openCharge', firstPurchaseId: 'S-1' });
    await server.clock.set(testNow);
  });
});

describe('the effectsHash', () => {
  test('stays the same while time passes and nothing changes', async () => {
    const app = await stageSubscription(server, 'active');
    const first = await preview(app, 'S-1');
    await server.clock.set(firstExpiry - 1);
    expect(await preview(app, 'S-1')).toEqual(first);
    expect((await voidIf(app, 'S-1', first.effectsHash)).status).toBe(200);
    await server.clock.set(testNow);
  });

  test('a void with one that is out of date gets 409 and changes nothing', async () => {
    const app = await stageSubscription(server, 'active');
    const { effectsHash } = await preview(app, 'S-1');
    await changeAutoPayment(server, app, 'cancel');
    const before = await eventsOf(app);
    const refused = await voidIf(app, 'S-1', effectsHash);
    expect([refused.status, refused.body.type]).toEqual([409, '/docs/problems#conflict']);
    expect(await eventsOf(app)).toEqual(before);
    const fresh = await preview(app, 'S-1');
    expect((await voidIf(app, 'S-1', fresh.effectsHash)).status).toBe(200);
    await server.clock.set(testNow);
  });

  test('a retried void with the effectsHash of before returns the record of the first one', async () => {
    const app = await newTestApp(server);
    await recordTestPurchase(server, app, { purchaseId: 'P-1' });
    const { effectsHash } = await preview(app, 'P-1');
    const first = await voidIf(app, 'P-1', effectsHash);
    const retried = await voidIf(app, 'P-1', effectsHash);
    expect([retried.status, retried.text]).toEqual([200, first.text]);
  });
});

test('previewVoid returns 404 for an unknown purchase and for one of another app', async () => {
  const [app, other] = [await newTestApp(server), await newTestApp(server)];
  await recordTestPurchase(server, other, { purchaseId: 'P-1' });
  await voidTestPurchase(server, other, 'P-1');
  const path = { packageName: app.packageName, purchaseId: 'P-1' };
  expect((await callOperator(server, previewVoid, { path })).status).toBe(404);
});
