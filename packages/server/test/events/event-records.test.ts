// The content of each type of event: its fields byte by byte, and its record, which is the response of the purchase API
// right after the change.

import { type DeveloperOperation, developerApi } from '@opentill/contract/developer-api.ts';
import { type Event, eventTypes } from '@opentill/contract/events.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  changeAutoPayment,
  tryConsume,
  voidTestPurchase,
} from '../../../../test/support/calls/purchase-changes.ts';
import {
  newTestApp,
  operate,
  recordTestPurchase,
  type TestApp,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callDeveloper } from '../../../../test/support/http/checked-call.ts';
import { callPurchase } from '../../../../test/support/http/purchase-call.ts';
import { query } from '../../../../test/support/query.ts';
import { writeEvents } from '../../../../test/support/stage.ts';
import { advance, freeze } from '../app-clock/clock-calls.ts';
import { tryListEvents, walkEvents } from './feed-calls.ts';

const { cancelSubscription, changeRenewalPrice, extendSubscription, putFaults, reactivateSubscription } =
  developerApi;

const april15 = Date.UTC(2026, 3, 15, 12);
const may15 = Date.UTC(2026, 4, 15, 12);
const hourMs = 3_600_000;

let app: TestApp;
const seenTypes = new Set<string>();

const server = await useTestServer();
beforeEach(async () => {
  app = await newTestApp(server);
  await freeze(server, app);
});

/** The events since the last call, oldest first, as the bytes of the feed. */
async function newEvents(after: Event | undefined): Promise<{ events: Event[]; text: string }> {
  const response = await tryListEvents(server, app, after === undefined ? {} : { after: after.id });
  expect(response.status).toBe(200);
  for (const { type } of response.body.events) seenTypes.add(type);
  return { events: response.body.events, text: response.text };
}

/** The bytes of the purchase API's current response for a purchase. */
async function detailsOf(purchaseId: string): Promise<string> {
  const path = { purchaseId };
  const oneTime = await callPurchase(server, getPurchaseDetails, app, { path });
  if (oneTime.status === 200) return oneTime.text;
  return (await callPurchase(server, getRecurringPurchaseDetails, app, { path })).text;
}

/** Checks the events of a change, and that the record of each is the response of the API after the change. */
async function expectEvents(
  change: () => Promise<unknown>,
  types: readonly string[],
): Promise<readonly Event[]> {
  const last = (await walkEvents(server, app)).at(-1);
  await change();
  const { events, text } = await newEvents(last);
  expect(events.map(({ type }) => type)).toEqual(types);
  for (const event of events as Exclude<Event, { type: 'test' }>[]) {
    const reason = event.type === 'subscription.expired' ? `"expiryReason":"${event.expiryReason}",` : '';
    const before = 'previousExpiryTime' in event ? `"previousExpiryTime":${event.previousExpiryTime},` : '';
    const which = 'attempt' in event && `"attempt":${event.attempt},"isLastAttempt":${event.isLastAttempt},`;
    const money =
      'price' in event ? `"purchaseTime":${event.purchaseTime},"price":499,"currency":"EUR",` : '';
    const renewal = 'renewalPrice' in event && renewalOf(event);
    const record = await detailsOf(event.purchaseId);
    expect(text).toContain(
      `"productId":"${event.productId}",${reason}${before}${which || ''}${money}${renewal || ''}"record":${record}`,
    );
  }
  return events;
}

const renewalOf = (event: { readonly previousRenewalPrice?: number; readonly renewalPrice: number }) =>
  event.previousRenewalPrice === undefined
    ? '"renewalPrice":499,'
    : `"currency":"EUR","previousRenewalPrice":499,"renewalPrice":${event.renewalPrice},`;

const voidPurchase = (purchaseId: string, reason: 'customer' | 'system' = 'customer') =>
  voidTestPurchase(server, app, purchaseId, reason);
const manage = (purchaseId: string, action: 'cancel' | 'reactivate') =>
  changeAutoPayment(server, app, { purchaseId, action });
const subscribe = () =>
  recordTestPurchase(server, app, {
    productId: 'monthly',
    purchaseId: 'S-1',
    developerPayload: 'über "alles" \\ €',
    buyerId: 'buyer-1',
  });
const decline = (outcome: 'declined' | 'declinedFinal', times: number) =>
  callDeveloper(server, putFaults, { key: app.token, body: [{ operation: 'charge', outcome, times }] });

describe('events of a one-time purchase', () => {
  test('a recorded purchase writes exactly the documented event', async () => {
    await recordTestPurchase(server, app, { purchaseId: 'P-1', developerPayload: 'order-1' });
    const { events, text } = await newEvents(undefined);
    const [event] = events;
    expect(text).toBe(
      `{"events":[{"id":"${event?.id}","type":"purchase.completed","order":1,"eventTime":${testNow},` +
        `"environment":"sandbox","packageName":"${app.packageName}","purchaseId":"P-1","productId":"coins",` +
        `"purchaseTime":${testNow},"price":499,"currency":"EUR",` +
        `"record":{"consumptionState":0,"developerPayload":"order-1","purchaseState":0,"purchaseTime":${testNow}}}],` +
        `"cursor":"${event?.id}","hasMore":false}`,
    );
  });

  test('each event of a purchase shows the purchase as the API did then, and never changes', async () => {
    const record = () => recordTestPurchase(server, app, { purchaseId: 'P-1', purchaseTime: testNow - 5 });
    const [completed] = await expectEvents(record, ['purchase.completed']);
    const [consumed] = await expectEvents(() => tryConsume(server, app, 'P-1'), ['purchase.consumed']);
    await advance(server, app, { by: 'PT1H' });
    const [voided] = await expectEvents(() => voidPurchase('P-1'), ['purchase.voided']);
    const times = [completed, consumed, voided].map((event) => event?.eventTime);
    expect(times).toEqual([testNow, testNow, testNow + hourMs]);
    // Each event is unchanged since it was written.
    expect(await walkEvents(server, app)).toEqual([completed, consumed, voided]);
  });

  test('the event of a void has the cause of the reason code and nothing of the note, and none if the void has none', async () => {
    await recordTestPurchase(server, app, { purchaseId: 'P-1', price: 7 });
    const body = { reasonCode: 'malfunction', note: 'sword did not appear', refundAmount: 3 };
    const path = `/apps/${app.packageName}/purchases/P-1/void`;
    await operate(server, 'POST', path, { body });
    const { events, text } = await newEvents(undefined);
    expect(events[1]).toMatchObject({ voidCause: 'defect', price: 7, refundAmount: 3, currency: 'EUR' });
    expect(text).not.toMatch(/sword|malfunction/);
    const forget = 'update purchase set void_cause = null where package_name = $1';
    await query(server.connection, forget, [app.packageName]);
    expect((await newEvents(undefined)).events[1]).not.toHaveProperty('voidCause');
  });
});

describe('events of a subscription', () => {
  test('a started subscription writes exactly the documented event', async () => {
    await subscribe();
    const { events, text } = await newEvents(undefined);
    const [event] = events;
    expect(text).toBe(
      `{"events":[{"id":"${event?.id}","type":"subscription.started","order":1,"eventTime":${testNow},` +
        `"environment":"sandbox","packageName":"${app.packageName}","purchaseId":"S-1",` +
        `"firstPurchaseId":"S-1","productId":"monthly","purchaseTime":${testNow},"price":499,"currency":"EUR",` +
        `"renewalPrice":499,"record":{"startTime":${testNow},` +
        `"expiryTime":${april15},"nextPaymentTime":${april15},"autoRenewing":true,"price":499,` +
        `"developerPayload":"über \\"alles\\" \\\\ €","purchaseState":0}}],"cursor":"${event?.id}","hasMore":false}`,
    );
  });

  test('each change of auto-payment writes an event with what the API shows then', async () => {
    await expectEvents(subscribe, ['subscription.started']);
    await expectEvents(() => manage('S-1', 'cancel'), ['subscription.auto_payment_cancelled']);
    await expectEvents(() => manage('S-1', 'cancel'), []);
    await expectEvents(() => manage('S-1', 'reactivate'), ['subscription.auto_payment_reactivated']);
    const path = `/apps/${app.packageName}/subscriptions/S-1/cancel`;
    const byCustomer = () => operate(server, 'POST', path, { body: { reason: 'customer' } });
    const [cancelled] = await expectEvents(byCustomer, ['subscription.auto_payment_cancelled']);
    expect(cancelled).toMatchObject({ record: { autoRenewing: false, cancelReason: '0' } });
    const [expired] = await expectEvents(() => advance(server, app, { by: 'P1M' }), ['subscription.expired']);
    expect(expired?.eventTime).toBe(april15);
  });

  test('each period of a subscription writes an event with a purchase of its own', async () => {
    await subscribe();
    const pass = () => advance(server, app, { to: april15 });
    const [renewed] = await expectEvents(pass, ['subscription.renewed']);
    expect(renewed).toMatchObject({
      eventTime: april15,
      firstPurchaseId: 'S-1',
      record: { startTime: april15, expiryTime: may15, nextPaymentTime: may15 },
    });
    const { purchaseId } = renewed as Exclude<Event, { type: 'test' }>;
    expect(purchaseId).not.toBe('S-1');
    await expectEvents(() => voidPurchase('S-1', 'system'), ['purchase.voided']);
    await expectEvents(() => voidPurchase(purchaseId), ['purchase.voided', 'subscription.terminated']);
  });

  test('each declined payment writes an event, and so does the end after the last one', async () => {
    await subscribe();
    await decline('declined', 5);
    const pass = (hours: number) => () => advance(server, app, { to: april15 + hours * hourMs });
    for (const [index, hours] of [0, 1, 6, 24].entries()) {
      const [failed] = await expectEvents(pass(hours), ['subscription.payment_failed']);
      const eventTime = april15 + hours * hourMs;
      expect(failed).toMatchObject({ eventTime, attempt: index + 1, isLastAttempt: false });
    }
    const [last] = await expectEvents(pass(48), ['subscription.payment_failed', 'subscription.expired']);
    expect(last).toMatchObject({ attempt: 5, isLastAttempt: true });
  });

  test('an extension writes an event with both ends', async () => {
    await subscribe();
    const path = { firstPurchaseId: 'S-1' };
    const extend = () =>
      callDeveloper(server, extendSubscription, { key: app.token, path, body: { expiryTime: may15 } });
    const [extended] = await expectEvents(extend, ['subscription.extended']);
    expect(extended).toMatchObject({
      eventTime: testNow,
      previousExpiryTime: april15,
      record: { expiryTime: may15, nextPaymentTime: may15 },
      madeBy: 'app',
    });
  });

  const callFor = (operation: DeveloperOperation, body: object) => () =>
    callDeveloper(server, operation, { key: app.token, path: { firstPurchaseId: 'S-1' }, body });

  test('a change of the renewal price writes an event with both prices, and the price of the period stays', async () => {
    await subscribe();
    const types = ['subscription.renewal_price_changed'];
    const [changed] = await expectEvents(callFor(changeRenewalPrice, { price: 599 }), types);
    expect(changed).toMatchObject({ currency: 'EUR', previousRenewalPrice: 499, madeBy: 'app' });
    expect(changed).not.toHaveProperty('consent');
    await expectEvents(callFor(changeRenewalPrice, { price: 599, consent: 'awaited' }), []);
  });

  test('a cancel until the customer consents and the reactivation that follows carry the consent', async () => {
    await subscribe();
    const asked = ['subscription.auto_payment_cancelled'];
    const answered = ['subscription.auto_payment_reactivated'];
    const [cancelled] = await expectEvents(callFor(cancelSubscription, { consent: 'awaited' }), asked);
    expect(cancelled).toMatchObject({ consent: 'awaited', record: { cancelReason: '1' } });
    await expectEvents(() => manage('S-1', 'reactivate'), []);
    const [given] = await expectEvents(callFor(reactivateSubscription, { consent: 'given' }), answered);
    expect(given).toMatchObject({ consent: 'given', record: { autoRenewing: true } });
    await expectEvents(callFor(cancelSubscription, { consent: 'awaited' }), asked);
    const [withdrawn] = await expectEvents(() => manage('S-1', 'cancel'), asked);
    expect(withdrawn).not.toHaveProperty('consent');
    await expectEvents(callFor(cancelSubscription, { consent: 'awaited' }), []);
  });

  test('a cancel while payment is outstanding writes an event that the subscription has ended', async () => {
    await subscribe();
    await decline('declined', 1);
    await advance(server, app, { to: april15 });
    await expectEvents(() => manage('S-1', 'cancel'), ['subscription.terminated']);
    // The subscription has already ended, and the void of its last period does not end it again.
    await expectEvents(() => voidPurchase('S-1'), ['purchase.voided']);
  });
});

test('a test event is marked as one and has no purchase', async () => {
  await writeEvents(server, app, 1);
  const { events, text } = await newEvents(undefined);
  expect(text).toBe(
    `{"events":[{"id":"${events[0]?.id}","type":"test","order":1,"eventTime":${testNow},` +
      `"environment":"sandbox","packageName":"${app.packageName}"}],"cursor":"${events[0]?.id}","hasMore":false}`,
  );
});

test('every type of event has been tested', () => {
  expect([...seenTypes].sort()).toEqual(Object.keys(eventTypes).sort());
});
