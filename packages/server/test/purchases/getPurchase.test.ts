// Reading one purchase: what its void would change, which is what the void then changes. The histories are tested with
// the changes.

import { getPurchase } from '@opentill/contract/operator-api/getPurchase.ts';
import type { PurchaseWithHistory, VoidEffect } from '@opentill/contract/purchase-with-history.ts';
import { beforeEach, expect, test } from 'vitest';
import { tryConsume, voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import {
  newTestApp,
  operatorOf,
  recordTestPurchase,
  type TestApp,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import { firstExpiry, type Stage, stageSubscription } from '../subscriptions/staged-subscription.ts';

const server = await useTestServer();
beforeEach(() => server.clock.set(testNow));

async function read({ packageName }: TestApp, purchaseId: string): Promise<PurchaseWithHistory> {
  const { status, body } = await callOperator(server, getPurchase, { path: { packageName, purchaseId } });
  expect(status).toBe(200);
  return body;
}

async function eventsOf({ packageName }: TestApp): Promise<string[]> {
  const { events } = await operatorOf(server).listEvents({ packageName });
  return events.map(({ type }) => type);
}

const refund = { type: 'refund', price: 499, currency: 'EUR' } as const;
const voidedEvent = { type: 'event', eventType: 'purchase.voided' } as const;
const terminatedEvent = { type: 'event', eventType: 'subscription.terminated' } as const;
const subscriptionEnds = (state: 'active' | 'autoPaymentOff' | 'paymentOutstanding' | 'expired') =>
  ({ type: 'subscriptionEnds', firstPurchaseId: 'S-1', state }) as const;
const accessEnds = { type: 'accessEnds' } as const;
const accessEnded = { type: 'accessEnded', time: firstExpiry } as const;
const ending = [voidedEvent, terminatedEvent, refund];
const unchanged = (state: 'active' | 'terminated') =>
  ({ type: 'subscriptionUnchanged', firstPurchaseId: 'S-1', state }) as const;

test('the effects of voiding a consumed one-time purchase name the consumption, its event and the refund', async () => {
  const app = await newTestApp(server);
  await recordTestPurchase(server, app, { purchaseId: 'P-1', orderId: 'order-1' });
  await tryConsume(server, app, 'P-1');
  const consumed = { type: 'consumed', consumedTime: testNow };
  const { voidEffects } = await read(app, 'P-1');
  expect(voidEffects).toEqual([accessEnds, consumed, voidedEvent, { ...refund, orderId: 'order-1' }]);
});

test.each<[Stage, VoidEffect[]]>([
  ['active', [accessEnds, subscriptionEnds('active'), ...ending]],
  ['auto-payment off', [accessEnds, subscriptionEnds('autoPaymentOff'), ...ending]],
  ['payment outstanding', [accessEnded, subscriptionEnds('paymentOutstanding'), ...ending]],
  ['expired', [accessEnded, subscriptionEnds('expired'), ...ending]],
  ['terminated', [accessEnded, unchanged('terminated'), voidedEvent, refund]],
])(
  'the effects of voiding the newest period in the stage "%s" are those that its void has',
  async (stage, effects) => {
    const app = await stageSubscription(server, stage);
    const before = await eventsOf(app);
    expect((await read(app, 'S-1')).voidEffects).toEqual(effects);
    expect(await eventsOf(app)).toEqual(before);
    await voidTestPurchase(server, app, 'S-1');
    const announced = effects.flatMap((effect) => (effect.type === 'event' ? [effect.eventType] : []));
    expect(await eventsOf(app)).toEqual([...before, ...announced]);
    const path = { packageName: app.packageName, firstPurchaseId: 'S-1' };
    expect(await operatorOf(server).getSubscription(path)).toMatchObject({ state: 'terminated' });
    expect((await read(app, 'S-1')).voidEffects).toEqual([]);
  },
);

test('the effects name an open charge, whose period would be voided when it is paid', async () => {
  const app = await stageSubscription(server, 'payment outstanding');
  const open = `update subscription set open_charge_time = ${firstExpiry} where package_name = $1`;
  await query(server.connection, open, [app.packageName]);
  const { voidEffects } = await read(app, 'S-1');
  expect(voidEffects).toContainEqual({ type: 'openCharge', firstPurchaseId: 'S-1' });
});
