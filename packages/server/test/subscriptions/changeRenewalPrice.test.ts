// changeRenewalPrice and consent: what is charged and shown, what stays as it was, and who may undo what.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { cancelSubscription } from '@opentill/contract/operator-api/cancelSubscription.ts';
import { changeRenewalPrice } from '@opentill/contract/operator-api/changeRenewalPrice.ts';
import { extendSubscription } from '@opentill/contract/operator-api/extendSubscription.ts';
import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { reactivateSubscription } from '@opentill/contract/operator-api/reactivateSubscription.ts';
import { getRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import { describe, expect, test } from 'vitest';
import { listedActions } from '../../../../test/support/calls/listed-actions.ts';
import { changeAutoPayment } from '../../../../test/support/calls/purchase-changes.ts';
import {
  operate,
  operatorOf,
  recordTestPurchase,
  type TestApp,
  testNow,
  useForFile,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callDeveloper, callOperator } from '../../../../test/support/http/checked-call.ts';
import { callPurchase } from '../../../../test/support/http/purchase-call.ts';
import {
  eventsOf,
  firstDue,
  nextSubscription,
  passTo,
  secondDue,
  shownSubscription,
  startRenewalStage,
} from '../../../../test/support/renewals/renewal-stage.ts';
import {
  nextHookedApp,
  receivedOf,
  startWebhookStage,
} from '../../../../test/support/webhooks/webhook-stage.ts';
import { advance, freeze } from '../app-clock/clock-calls.ts';
import { tryListEvents } from '../events/feed-calls.ts';
import { expectSound } from '../renewals/expect-sound.ts';
import { firstExpiry, type Stage, secondExpiry, stageSubscription } from './staged-subscription.ts';

const server = await useTestServer();
const renewing = await useForFile(startRenewalStage());
const hooked = await useForFile(startWebhookStage());

const id = 'S-1';
const change = (
  { packageName }: Pick<TestApp, 'packageName'>,
  operation: OperatorOperation,
  body: object = {},
) => callOperator(server, operation, { path: { packageName, firstPurchaseId: id }, body });

const shown = async ({ packageName }: TestApp) =>
  (await callOperator(server, getSubscription, { path: { packageName, firstPurchaseId: id } })).body;

describe('a change of the renewal price', () => {
  test('is charged from the next period on, and no attempt sees another price than the one before the end', async () => {
    const ofStage = await nextSubscription(renewing);
    const call = (body: object) =>
      operate(renewing.server, 'POST', pathOf(ofStage), { body: { reasonCode: 'other', ...body } });
    const pathOf = (one: string) =>
      `/apps/${renewing.app.packageName}/subscriptions/${one}/change-renewal-price`;
    expect((await call({ price: 599 })).body).toMatchObject({ price: 499, renewalPrice: 599 });
    renewing.gateway.decide(() => ({ outcome: 'declined' }));
    await passTo(renewing, firstDue);
    // Between two attempts, and once the period is paid.
    expect((await call({ price: 699 })).status).toBe(409);
    renewing.gateway.decide(() => ({ outcome: 'paid' }));
    await passTo(renewing, firstDue + 3_600_000);
    expect((await call({ price: 699 })).status).toBe(200);
    expect((await call({ price: 0 })).status).toBe(200);
    await passTo(renewing, secondDue);
    const prices = renewing.gateway.orders.filter((one) => one.firstPurchaseId === ofStage);
    expect(prices.map(({ price }) => price)).toEqual([599, 599]);
    const { periods, attempts } = await shownSubscription(renewing, ofStage);
    expect(periods.map(({ price }: { price: number }) => price)).toEqual([499, 599, 0]);
    // A free period has an attempt that is paid.
    expect(attempts[0]).toMatchObject({ periodIndex: 2, outcome: 'paid' });
    await expectSound(renewing);
  });

  test('writes one action, and the price that the subscription has changes nothing, not even with consent', async () => {
    const app = await stageSubscription(server, 'active');
    const first = await change(app, changeRenewalPrice, { price: 599, note: 'announced on 1 March' });
    expect(first.body).toMatchObject({ renewalPrice: 599, autoRenewing: true, awaitsConsent: false });
    const before = await shown(app);
    const again = await change(app, changeRenewalPrice, { price: 599, consent: 'awaited' });
    expect(again.body).toEqual(first.body);
    expect(await shown(app)).toEqual(before);
    expect(before.events[0]).toMatchObject({
      type: 'subscription.renewal_price_changed',
      previousRenewalPrice: 499,
      renewalPrice: 599,
      note: 'announced on 1 March',
    });
    const actions = await listedActions(server, { packageName: app.packageName });
    const written = actions.filter(({ operationId }) => operationId === 'changeRenewalPrice');
    expect(written).toMatchObject([{ detail: { previousRenewalPrice: 499, renewalPrice: 599 } }]);
  });

  test.each<[Stage, number]>([
    ['active', 200],
    ['auto-payment off', 200],
    ['payment outstanding', 409],
    ['expired', 409],
    ['terminated', 409],
    ['voided', 409],
  ])('of a subscription that is %s gets %s, and the present price 200', async (stage, status) => {
    const app = await stageSubscription(server, stage);
    const before = await shown(app);
    expect((await change(app, changeRenewalPrice, { price: 499 })).status).toBe(200);
    expect(await shown(app)).toEqual(before);
    expect((await change(app, changeRenewalPrice, { price: 599, consent: 'awaited' })).status).toBe(status);
    if (status === 409) expect(await shown(app)).toEqual(before);
  });

  test('leaves all periods, the feed and a retried delivery as they were, and so does a repeated sale', async () => {
    const app = await nextHookedApp(hooked);
    const stage = hooked.server;
    await freeze(stage, app);
    const sale = { productId: 'monthly', purchaseId: id, renewalPrice: 549, price: 499 };
    await recordTestPurchase(stage, app, sale);
    await advance(stage, app, { by: 'P1M' });
    await changeAutoPayment(stage, app, { purchaseId: id, action: 'cancel' });
    await changeAutoPayment(stage, app, { purchaseId: id, action: 'reactivate' });
    await hooked.job.runOnce();
    const operator = operatorOf(stage);
    const { periods } = await operator.getSubscription({ packageName: app.packageName, firstPurchaseId: id });
    const read = async () => {
      const details = periods.map(({ purchaseId }) =>
        callPurchase(stage, getRecurringPurchaseDetails, app, { path: { purchaseId } }),
      );
      const feed = await tryListEvents(stage, app, { pageSize: String(events) });
      return [...(await Promise.all(details)).map(({ text }) => text), feed.text.replace(/"hasMore".*/, '')];
    };
    const events = receivedOf(hooked, app).length;
    expect(events).toBe(4);
    const before = await read();
    const path = `/apps/${app.packageName}/subscriptions/${id}/change-renewal-price`;
    expect((await operate(stage, 'POST', path, { body: { price: 999 } })).status).toBe(200);
    expect(await read()).toEqual(before);
    await operator.redeliverFailed({ packageName: app.packageName, since: 1_000_000_000_000 });
    const { deliveries } = await operator.listDeliveries({ packageName: app.packageName, pageSize: 200 });
    for (const { id: deliveryId } of deliveries)
      await operator.redeliver({ packageName: app.packageName, deliveryId });
    await hooked.job.runOnce();
    const texts = Map.groupBy(receivedOf(hooked, app), ({ id: eventId }) => eventId);
    const sent = [...texts.values()].map((calls) => new Set(calls.map(({ text }) => text)).size);
    expect(sent.slice(0, events)).toEqual(Array(events).fill(1));
    expect((await recordTestPurchase(stage, app, sale)).purchaseId).toBe(id);
  });
});

describe('consent', () => {
  const details = async (app: TestApp) =>
    (await callPurchase(server, getRecurringPurchaseDetails, app, { path: { purchaseId: id } })).body;
  const manage = async (app: TestApp, action: 'cancel' | 'reactivate') =>
    (await changeAutoPayment(server, app, { purchaseId: id, action })).body.responseCode;

  test('a developer cannot reactivate what awaits it, and the store can once it is given', async () => {
    const app = await stageSubscription(server, 'active');
    const asked = await change(app, cancelSubscription, { consent: 'awaited' });
    expect(asked.body).toMatchObject({ awaitsConsent: true, cancelReason: 'system' });
    expect(await details(app)).toMatchObject({ autoRenewing: false, cancelReason: '1' });
    expect((await shown(app)).cause.kind).toBe('awaitsConsent');
    expect(await manage(app, 'reactivate')).toBe(1);
    const without = await change(app, reactivateSubscription);
    expect([without.status, without.body.detail]).toEqual([409, expect.stringContaining('consent "given"')]);
    const given = await change(app, reactivateSubscription, { consent: 'given' });
    expect(given.body).toMatchObject({ state: 'active', awaitsConsent: false });
    expect((await change(app, reactivateSubscription, { consent: 'given' })).status).toBe(409);
  });

  test('a customer who cancels while it is awaited comes back by the store only, and without consent', async () => {
    const app = await stageSubscription(server, 'active');
    await change(app, changeRenewalPrice, { price: 599, consent: 'awaited' });
    expect(await manage(app, 'cancel')).toBe(0);
    expect(await manage(app, 'cancel')).toBe(1);
    expect(await manage(app, 'reactivate')).toBe(1);
    expect(await shown(app)).toMatchObject({ awaitsConsent: false, autoPaymentChangedBy: 'app' });
    // A repeated question takes no answer away.
    expect((await change(app, cancelSubscription, { consent: 'awaited' })).status).toBe(200);
    expect((await change(app, reactivateSubscription, { consent: 'given' })).status).toBe(409);
    const back = await change(app, reactivateSubscription, { note: 'called us' });
    expect(back.body).toMatchObject({ state: 'active', renewalPrice: 599 });
  });

  test('of a customer who had cancelled, the reason and the time stay', async () => {
    const app = await stageSubscription(server, 'auto-payment off');
    const before = await details(app);
    expect((await change(app, cancelSubscription, { consent: 'awaited' })).status).toBe(200);
    expect(await details(app)).toEqual(before);
    expect(await manage(app, 'reactivate')).toBe(1);
    expect((await change(app, reactivateSubscription)).status).toBe(200);
  });

  test('is kept by an extension, and cleared by a void of the newest period', async () => {
    const app = await stageSubscription(server, 'active');
    await change(app, cancelSubscription, { consent: 'awaited' });
    const expiryTime = firstExpiry + 86_400_000;
    expect((await change(app, extendSubscription, { expiryTime })).body.awaitsConsent).toBe(true);
    await operatorOf(server).voidPurchase({ packageName: app.packageName, purchaseId: id });
    expect(await shown(app)).toMatchObject({ state: 'terminated', awaitsConsent: false });
  });

  test.each<[Stage]>([['payment outstanding'], ['expired'], ['terminated'], ['voided']])(
    'is not asked of a customer whose subscription is %s',
    async (stage) => {
      const app = await stageSubscription(server, stage);
      const before = await shown(app);
      expect((await change(app, cancelSubscription, { consent: 'awaited' })).status).toBe(409);
      expect(await shown(app)).toEqual(before);
    },
  );

  test('is asked by the store: another reason than system is rejected', async () => {
    const app = await stageSubscription(server, 'active');
    const body = { consent: 'awaited', reason: 'customer' };
    expect((await change(app, cancelSubscription, body)).status).toBe(400);
    expect((await change(app, cancelSubscription, { ...body, reason: 'system' })).status).toBe(200);
  });

  test('what awaits it is listed, the earliest end first, until it expires for this reason', async () => {
    const stage = hooked.server;
    const app = await nextHookedApp(hooked);
    const operator = operatorOf(stage);
    await freeze(stage, app);
    for (const [index, purchaseId] of ['late', 'early', 'none'].entries()) {
      const purchaseTime = testNow - index * 1_000;
      await recordTestPurchase(stage, app, { productId: 'monthly', purchaseId, purchaseTime });
      if (purchaseId === 'none') continue;
      await operator.cancelSubscription({
        packageName: app.packageName,
        firstPurchaseId: purchaseId,
        consent: 'awaited',
      });
    }
    const listed = async () =>
      (await operator.listSubscriptions({ packageName: app.packageName, awaitsConsent: true })).subscriptions;
    expect((await listed()).map((one) => one.firstPurchaseId)).toEqual(['early', 'late']);
    const { happened } = await operator.advanceClock({ packageName: app.packageName, by: 'P1M' });
    const reasons = happened.map((one) => ('expiryReason' in one ? one.expiryReason : one.type));
    expect(reasons).toEqual(['subscription.renewed', 'consent', 'consent']);
    expect(await listed()).toEqual([]);
    const late = await operate(stage, 'POST', `/apps/${app.packageName}/subscriptions/late/reactivate`, {
      body: { consent: 'given' },
    });
    expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining('ended without consent')]);
  });

  test('a new price with consent, asked in a window of 30 days in the sandbox, is charged once it is given', async () => {
    const app = await stageSubscription(server, 'active');
    await freeze(server, app);
    const developer = (
      operation: (typeof developerApi)['changeRenewalPrice' | 'reactivateSubscription'],
      body: object,
    ) => callDeveloper(server, operation, { key: app.token, path: { firstPurchaseId: id }, body });
    // Announced now, and set for the silent on the last day.
    await advance(server, app, { to: firstExpiry - 86_400_000 });
    const asked = await developer(developerApi.changeRenewalPrice, { price: 599, consent: 'awaited' });
    expect(asked.body).toMatchObject({ renewalPrice: 599, awaitsConsent: true });
    await advance(server, app, { to: firstExpiry - 1 });
    await developer(developerApi.reactivateSubscription, { consent: 'given' });
    await advance(server, app, { to: firstExpiry });
    const { periods, expiryTime } = await shown(app);
    expect(periods.map(({ price }: { price: number }) => price)).toEqual([499, 599]);
    expect(expiryTime).toBe(secondExpiry);
  });
});

test('an erasure clears the consent, so that the subscription expires as cancelled', async () => {
  const app = await nextHookedApp(hooked);
  const operator = operatorOf(hooked.server);
  await freeze(hooked.server, app);
  await recordTestPurchase(hooked.server, app, { productId: 'monthly', purchaseId: id, buyerId: 'ann' });
  await operator.cancelSubscription({
    packageName: app.packageName,
    firstPurchaseId: id,
    consent: 'awaited',
  });
  await operator.eraseBuyer({ packageName: app.packageName, buyerId: 'ann' });
  const { happened } = await operator.advanceClock({ packageName: app.packageName, by: 'P1M' });
  expect(happened).toMatchObject([{ type: 'subscription.expired', expiryReason: 'cancelled' }]);
  expect(await eventsOf(hooked, id)).toContain('auto_payment_cancelled');
});
