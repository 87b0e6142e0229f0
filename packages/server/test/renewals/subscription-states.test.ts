// The table of states and changes of a subscription: cancel, reactivation, void, decline, final decline and late payment,
// each tested over HTTP.

import { describe, expect, test } from 'vitest';
import { callPurchaseApi, createTestApp, useForFile } from '../harness.ts';
import { changeAutoPayment, voidTestPurchase } from '../purchase-changes.ts';
import {
  eventsOf,
  firstDue,
  hourMs,
  lastDetails,
  newestEvents,
  passTo,
  secondDue,
  shownSubscription,
  stageStart,
  startRenewalStage,
  subscribe,
  tokenOf,
} from './renewal-stage.ts';
import type { Decision } from './test-gateway.ts';

let count = 0;

let stage = await useForFile(startRenewalStage());
const minuteMs = 60_000;
const noAnswer: Decision = { outcome: 'paid', trouble: 'lostRequest' };

/** The decision of the gateway for the subscription of the current test. */
let decision: Decision = { outcome: 'paid' };

const change = async (id: string, action: 'cancel' | 'reactivate') => {
  const app = { ...stage.app, token: await tokenOf(stage.server, stage.app) };
  return (await changeAutoPayment(stage.server, app, { purchaseId: id, action })).body.responseCode;
};
const voidMonth = async (id: string) => {
  const purchaseId = (await lastDetails(stage, id)).lastPurchaseId;
  await voidTestPurchase(stage.server, stage.app, purchaseId);
};
/** Advances to the next attempt, which gets this decision. */
const deciding = (outcome: 'declined' | 'declined_final' | 'paid') => async () => {
  decision = { outcome };
  await passTo(stage, Math.max(stage.clock.now(), firstDue) + 2 * minuteMs);
};

/** Brings a new subscription into each state; an open charge was sent and has no response. */
const states = {
  active: async () => undefined,
  'auto-payment off': async (id: string) => {
    expect(await change(id, 'cancel')).toBe(0);
  },
  'payment outstanding, declined once': async () => {
    decision = { outcome: 'declined' };
    await passTo(stage, firstDue);
  },
  'payment outstanding, a charge open': async () => {
    decision = noAnswer;
    await passTo(stage, firstDue);
  },
  'cancelled with a charge open': async (id: string) => {
    decision = noAnswer;
    await passTo(stage, firstDue);
    expect(await change(id, 'cancel')).toBe(0);
  },
  expired: async (id: string) => {
    expect(await change(id, 'cancel')).toBe(0);
    await passTo(stage, firstDue);
  },
  terminated: async (id: string) => {
    decision = { outcome: 'declined' };
    await passTo(stage, firstDue);
    expect(await change(id, 'cancel')).toBe(0);
  },
  'voided with a charge open': async (id: string) => {
    decision = noAnswer;
    await passTo(stage, firstDue);
    await voidMonth(id);
  },
  voided: async (id: string) => {
    await voidMonth(id);
  },
} as const;

const happenings = {
  cancel: (id: string) => change(id, 'cancel'),
  reactivate: (id: string) => change(id, 'reactivate'),
  void: voidMonth,
  decline: deciding('declined'),
  'final decline': deciding('declined_final'),
  success: deciding('paid'),
} as const;

interface Expected {
  /** The response of a cancel or reactivation. */
  readonly code?: 0 | 1;
  readonly state: string;
  readonly months: number;
  /** The events since the state was reached. */
  readonly events: readonly string[];
}

const voided = ['purchase.voided', 'terminated'];

type Table = Readonly<Record<keyof typeof states, Readonly<Record<keyof typeof happenings, Expected>>>>;

const active = (months: number, events: string[] = [], code?: 0 | 1): Expected => ({
  ...(code !== undefined && { code }),
  state: 'active',
  months,
  events,
});
const ended = (
  state: string,
  events: string[] = [],
  { code, months = 1 }: Partial<Expected> = {},
): Expected => ({
  ...(code !== undefined && { code }),
  state,
  months,
  events,
});
const unchanged = (state: string): Readonly<Record<'cancel' | 'reactivate', Expected>> => ({
  cancel: ended(state, [], { code: 1 }),
  reactivate: ended(state, [], { code: 1 }),
});
const nothingDue = (state: string) => ({
  decline: ended(state),
  'final decline': ended(state),
  success: ended(state),
});

const table: Table = {
  active: {
    cancel: ended('auto_payment_off', ['auto_payment_cancelled'], { code: 0 }),
    reactivate: active(1, [], 1),
    void: ended('terminated', voided),
    decline: ended('payment_outstanding', ['payment_failed']),
    'final decline': ended('expired', ['payment_failed', 'expired']),
    success: active(2, ['renewed']),
  },
  'auto-payment off': {
    cancel: ended('auto_payment_off', [], { code: 1 }),
    reactivate: active(1, ['auto_payment_reactivated'], 0),
    void: ended('terminated', voided),
    // Its end passes without a charge.
    decline: ended('expired', ['expired']),
    'final decline': ended('expired', ['expired']),
    success: ended('expired', ['expired']),
  },
  'payment outstanding, declined once': {
    cancel: ended('terminated', ['terminated'], { code: 0 }),
    reactivate: ended('payment_outstanding', [], { code: 1 }),
    void: ended('terminated', voided),
    decline: ended('payment_outstanding', ['payment_failed']),
    'final decline': ended('expired', ['payment_failed', 'expired']),
    success: active(2, ['renewed']),
  },
  'payment outstanding, a charge open': {
    cancel: ended('expired', ['auto_payment_cancelled'], { code: 0 }),
    reactivate: ended('payment_outstanding', [], { code: 1 }),
    void: ended('terminated', voided),
    decline: ended('payment_outstanding', ['payment_failed']),
    'final decline': ended('expired', ['payment_failed', 'expired']),
    success: active(2, ['renewed']),
  },
  'cancelled with a charge open': {
    ...unchanged('expired'),
    void: ended('terminated', voided),
    decline: ended('expired', ['expired']),
    'final decline': ended('expired', ['expired']),
    // The charged month starts, and no further payment follows.
    success: ended('auto_payment_off', ['renewed'], { months: 2 }),
  },
  expired: {
    ...unchanged('expired'),
    void: ended('terminated', voided),
    ...nothingDue('expired'),
  },
  terminated: {
    ...unchanged('terminated'),
    void: ended('terminated', ['purchase.voided']),
    ...nothingDue('terminated'),
  },
  'voided with a charge open': {
    ...unchanged('terminated'),
    void: ended('terminated'),
    decline: ended('terminated'),
    'final decline': ended('terminated'),
    // Paid after the end: recorded and voided at once.
    success: ended('terminated', ['purchase.completed', 'purchase.voided'], { months: 2 }),
  },
  voided: {
    ...unchanged('terminated'),
    void: ended('terminated'),
    ...nothingDue('terminated'),
  },
};

const stateNames = Object.keys(states) as (keyof typeof states)[];
const happeningNames = Object.keys(happenings) as (keyof typeof happenings)[];

describe.each(stateNames)('a subscription that is %s', (state) => {
  test.each(happeningNames)(
    `a subscription that is ${state} handles a %s as the table says`,
    async (happening) => {
      const expected = table[state][happening];
      count += 1;
      const id = `C-${count}`;
      stage.gateway.decide(({ firstPurchaseId }) =>
        firstPurchaseId === id ? decision : { outcome: 'paid' },
      );
      decision = { outcome: 'paid' };
      stage.clock.set(stageStart);
      // A new app, because the times of voids of an app never decrease.
      stage = { ...stage, app: await createTestApp(stage.server, `com.states.app${count}`) };
      await subscribe(stage, id);
      stage.clock.set(stageStart + hourMs);
      await states[state](id);
      const before = (await eventsOf(stage, id)).length;
      // A declined payment is due again after an hour.
      if (state.endsWith('declined once') && !['cancel', 'reactivate', 'void'].includes(happening)) {
        stage.clock.set(firstDue + hourMs);
      }
      const code = await happenings[happening](id);
      expect(code).toBe(expected.code);
      expect((await eventsOf(stage, id)).slice(before)).toEqual(expected.events);
      const shown = await shownSubscription(stage, id);
      expect({ state: shown.state, months: shown.months.length }).toEqual({
        state: expected.state,
        months: expected.months,
      });
      await expectLooksRight(id, expected);
      const [newest] = await newestEvents(stage, id, 1);
      expect(newest.record).toEqual(await detailsOf(newest.purchaseId));
    },
  );
});

async function detailsOf(purchaseId: string): Promise<object> {
  const path = `/recurring-details/${purchaseId}/${stage.app.packageName}`;
  return (await callPurchaseApi(stage.server, { token: await tokenOf(stage.server, stage.app), path })).body;
}

/** When an outstanding payment is charged: when it is due, or after one or two declines. */
const paymentTimes = [firstDue, firstDue + hourMs, firstDue + 6 * hourMs];

/** Checks that the details of the newest month and of the subscription match the state. */
async function expectLooksRight(id: string, { state, months }: Expected): Promise<void> {
  const { lastPurchaseId, ...last } = await lastDetails(stage, id);
  const isOn = state === 'active' || state === 'payment_outstanding';
  expect(last.autoRenewing).toBe(isOn);
  expect('nextPaymentTime' in last).toBe(isOn);
  if (state === 'active') expect(last.nextPaymentTime).toBe(last.expiryTime);
  if (state === 'payment_outstanding') expect(paymentTimes).toContain(last.nextPaymentTime);
  expect(last.cancelReason).toBe(isOn ? undefined : '1');
  expect('cancelledTime' in last).toBe(!isOn);
  if (!isOn) expect(last.cancelledTime).toBeLessThanOrEqual(stage.clock.now());
  if (state === 'terminated') expect(last.expiryTime).toBe(Math.min(firstDue, last.cancelledTime));
  if (state === 'expired') expect(last.expiryTime).toBe(firstDue);
  expect(await detailsOf(lastPurchaseId)).toMatchObject({ ...last, price: 499, developerPayload: '' });
  if (isOn || state === 'auto_payment_off') {
    const hasRenewed = months === 2;
    expect(last.startTime).toBe(hasRenewed ? firstDue : stageStart);
    expect(last.expiryTime).toBe(hasRenewed ? secondDue : firstDue);
  }
}

test('a month paid after the end is in the voided list, and the subscription does not change', async () => {
  const id = 'in-vain';
  stage.gateway.decide(() => decision);
  stage.clock.set(stageStart);
  await subscribe(stage, id);
  await states['voided with a charge open'](id);
  const before = await lastDetails(stage, id);
  await happenings.success();
  expect(await lastDetails(stage, id)).toEqual(before);
  const { months } = await shownSubscription(stage, id);
  const paid = months[1];
  expect(paid).toMatchObject({ periodIndex: 1, startTime: firstDue, purchaseState: 1, voidReason: 'system' });
  const token = await tokenOf(stage.server, stage.app);
  const path = `/voided-purchases/${stage.app.packageName}?maxResults=999`;
  const list = (await callPurchaseApi(stage.server, { token, path })).body.voidedPurchaseList;
  const entry = list.find(({ purchaseId }: { purchaseId: string }) => purchaseId === paid.purchaseId);
  expect(entry).toEqual({
    purchaseId: paid.purchaseId,
    purchaseTime: stage.clock.now(),
    voidedTime: paid.voidedTime,
  });
  const [completed, voided] = await newestEvents(stage, id, 2);
  expect(voided).toMatchObject({ type: 'purchase.voided', record: await detailsOf(paid.purchaseId) });
  const { cancelReason, cancelledTime, ...beforeItsVoid } = voided.record;
  expect([cancelReason, cancelledTime]).toEqual(['1', paid.voidedTime]);
  expect(completed).toMatchObject({ type: 'purchase.completed', purchaseId: paid.purchaseId });
  expect(completed.record).toEqual({ ...beforeItsVoid, purchaseState: 0 });
});
