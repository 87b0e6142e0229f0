// Each cell of the table of docs/decisions/subscriptions.md, "Consent", and what a change of the price does there.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changed, renewableAt } from '../../../../../test/support/subscriptions/started.ts';
import {
  decideCancel,
  decideQuestion,
  decideReactivate,
  type SubscriptionDecision,
} from '../../../src/domain/subscriptions/auto-payment.ts';
import { decideExtension } from '../../../src/domain/subscriptions/extension.ts';
import { decidePriceChange } from '../../../src/domain/subscriptions/price-change.ts';
import { decideExpiry, type RenewableSubscription } from '../../../src/domain/subscriptions/renewal.ts';
import {
  decideVoidOfPeriod,
  describeRecurringPurchase,
  type PaidPeriod,
} from '../../../src/domain/subscriptions/subscription.ts';
import { hourMs } from '../../../src/domain/time.ts';

const start = Date.UTC(2026, 0, 31);
const asking = start + hourMs;
const cancelling = start + 2 * hourMs;
const now = start + 3 * hourMs;
const expiryTime = Date.UTC(2026, 1, 28);

const stored = (decision: SubscriptionDecision | 'same'): RenewableSubscription => {
  if (decision === 'same') throw new Error('The change was none.');
  return { ...changed(decision), openChargeTime: null, isExpired: false };
};

const on = renewableAt(start);
const off = stored(decideCancel(on, { now: cancelling, reason: '0' }));
const awaited = stored(decideQuestion(on, asking));
const withdrawn = stored(decideCancel(awaited, { now: cancelling, reason: '0' }));
const late = stored(decideQuestion(off, now));
const states = { on, off, awaited, withdrawn, late };

const actions = {
  cancel: (from: RenewableSubscription, at: number) => decideCancel(from, { now: at, reason: '1' }),
  ask: decideQuestion,
  'change the price': (from: RenewableSubscription, at: number) => priceChange(from, { at, asks: false }),
  'change the price and ask': (from: RenewableSubscription, at: number) =>
    priceChange(from, { at, asks: true }),
  'reactivate as a developer': (from: RenewableSubscription, at: number) => reactivate(from, at, 'app'),
  'reactivate as the store': (from: RenewableSubscription, at: number) => reactivate(from, at, 'store'),
  'reactivate with consent': (from: RenewableSubscription, at: number) =>
    reactivate(from, at, 'store', 'given'),
};
type Action = keyof typeof actions;

function priceChange(
  from: RenewableSubscription,
  { at, asks }: { readonly at: number; readonly asks: boolean },
): SubscriptionDecision | 'same' {
  const decision = decidePriceChange(from, { now: at, price: 599, asks });
  return decision.kind === 'changed' ? decision : decision.kind;
}

function reactivate(from: RenewableSubscription, at: number, by: 'app' | 'store', consent?: 'given') {
  return decideReactivate(from, { now: at, by, consent, isExpired: false, isErased: false });
}

const isOn = { autoRenewing: true, nextPaymentTime: expiryTime, cancelReason: null, cancelledTime: null };
const isOff = { autoRenewing: false, nextPaymentTime: null };
const cancelledNow = { ...isOff, cancelReason: '1', cancelledTime: now };
const cancelledBefore = { ...isOff, cancelReason: '0', cancelledTime: cancelling };
const askedBefore = { ...isOff, cancelReason: '1', cancelledTime: asking, consent: 'awaited' };
const priced = { renewalPrice: 599 };

test.each<[keyof typeof states, Action, object | 'refused' | 'same']>([
  ['on', 'cancel', { ...cancelledNow, consent: null }],
  ['on', 'ask', { ...cancelledNow, consent: 'awaited' }],
  ['on', 'change the price', { ...isOn, ...priced, consent: null }],
  ['on', 'change the price and ask', { ...cancelledNow, ...priced, consent: 'awaited' }],
  ['on', 'reactivate as a developer', 'refused'],
  ['on', 'reactivate as the store', 'refused'],
  ['on', 'reactivate with consent', 'refused'],
  ['off', 'cancel', 'refused'],
  ['off', 'ask', { ...cancelledBefore, consent: 'withdrawn' }],
  ['off', 'change the price', { ...cancelledBefore, ...priced, consent: null }],
  ['off', 'change the price and ask', { ...cancelledBefore, ...priced, consent: 'withdrawn' }],
  ['off', 'reactivate as a developer', { ...isOn, consent: null }],
  ['off', 'reactivate as the store', { ...isOn, consent: null }],
  ['off', 'reactivate with consent', 'refused'],
  ['awaited', 'cancel', { ...cancelledNow, consent: 'withdrawn' }],
  ['awaited', 'ask', 'same'],
  ['awaited', 'change the price', { ...askedBefore, ...priced }],
  ['awaited', 'change the price and ask', { ...askedBefore, ...priced }],
  ['awaited', 'reactivate as a developer', 'refused'],
  ['awaited', 'reactivate as the store', 'refused'],
  ['awaited', 'reactivate with consent', { ...isOn, consent: null }],
  ...(['withdrawn', 'late'] as const).flatMap(
    (state): [keyof typeof states, Action, object | 'refused' | 'same'][] => [
      [state, 'cancel', 'refused'],
      [state, 'ask', 'same'],
      [state, 'change the price', { ...cancelledBefore, ...priced, consent: 'withdrawn' }],
      [state, 'change the price and ask', { ...cancelledBefore, ...priced, consent: 'withdrawn' }],
      [state, 'reactivate as a developer', 'refused'],
      [state, 'reactivate as the store', { ...isOn, consent: null }],
      [state, 'reactivate with consent', 'refused'],
    ],
  ),
])('a subscription that is %s before its end: %s', (state, action, expected) => {
  const from = states[state];
  const decision = actions[action](from, now);
  if (typeof expected === 'string') expect(decision).toBe(expected);
  else expect(decision).toMatchObject({ changed: { ...from, ...expected } });
});

describe('from the end of the period on', () => {
  const decided = (action: Action) => Object.values(states).map((from) => actions[action](from, expiryTime));

  test('a cancel ends a subscription with a payment outstanding, and every other change is refused', () => {
    const refused = Object.keys(states).map(() => 'refused');
    expect(decided('cancel')).toEqual([
      { changed: { ...on, ...cancelledNow, cancelledTime: expiryTime, terminatedTime: expiryTime } },
      ...refused.slice(1),
    ]);
    for (const action of Object.keys(actions).slice(1)) expect(decided(action as Action)).toEqual(refused);
  });

  test('what awaits consent expires without it, and what was cancelled as cancelled', () => {
    const kinds = [off, awaited, withdrawn, late].map((from) => decideExpiry(from, expiryTime).kind);
    expect(kinds).toEqual(['expired', 'withoutConsent', 'expired', 'expired']);
  });

  test('nothing changes after an expiry that a faster clock has written', () => {
    const expired = { ...awaited, isExpired: true };
    expect(decideCancel(expired, { now, reason: '0', isExpired: true })).toBe('refused');
    expect(decideQuestion({ ...off, isExpired: true }, now)).toBe('refused');
    expect(priceChange(expired, { at: now, asks: true })).toBe('refused');
  });
});

test('after a declined attempt neither terms nor the end change, also where a clock went back', () => {
  const declined = { ...on, nextPaymentTime: expiryTime + hourMs };
  expect(priceChange(declined, { at: expiryTime - 1, asks: false })).toBe('refused');
  expect(decideQuestion(declined, expiryTime - 1)).toBe('refused');
  const extension = { now: expiryTime - 1, expiryTime: expiryTime + 2 * hourMs };
  expect(decideExtension(declined, extension).kind).toBe('refused');
});

test('an extension keeps the consent, and a void of the newest period clears it', () => {
  for (const from of [off, awaited, withdrawn]) {
    const extended = decideExtension(from, { now, expiryTime: expiryTime + hourMs });
    expect(extended).toMatchObject({ changed: { consent: from.consent, cancelledTime: from.cancelledTime } });
    const { lastPurchaseId: purchaseId, lastStartTime: startTime } = from;
    const paidPeriod: PaidPeriod = {
      ...{ purchaseId, startTime, expiryTime, periodIndex: 0, price: 499, developerPayload: '' },
      ...{ voidedTime: null, voidReason: null },
    };
    const after = decideVoidOfPeriod(from, paidPeriod, { voidedTime: now, reason: '0' });
    expect(after.subscription).toMatchObject({ consent: null, terminatedTime: now });
  }
});

test('while the store awaits consent, the purchase API shows a cancel by the store at the time of asking', () => {
  const period = { periodIndex: 0, startTime: start, expiryTime, price: 499, developerPayload: '' };
  const shown = (from: RenewableSubscription) =>
    describeRecurringPurchase(from, {
      ...{ ...period, purchaseId: from.lastPurchaseId, voidedTime: null, voidReason: null },
    });
  expect(shown(awaited)).toMatchObject({ autoRenewing: false, cancelReason: '1', cancelledTime: asking });
  expect(shown(withdrawn)).toMatchObject({ cancelReason: '0', cancelledTime: cancelling });
});

interface Step {
  readonly action: Action;
  readonly hours: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    action: fc.constantFrom(...(Object.keys(actions) as Action[])),
    hours: fc.integer({ min: 0, max: 200 }),
  }),
  { maxLength: 12 },
);

test('in every history, a cancel of the customer and a question of the store are undone only by the store that got an answer', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      let [from, at] = [on, start];
      // What only the store may undo, and with consent or without it.
      let needs: 'given' | 'comingBack' | 'anyone' | undefined;
      for (const { action, hours } of taken) {
        at += hours * hourMs;
        const decision = actions[action](from, at);
        if (typeof decision === 'string') continue;
        const to = { ...from, ...decision.changed };
        expect(at < expiryTime || action === 'cancel').toBe(true);
        const answers = {
          'reactivate as a developer': ['anyone'],
          'reactivate as the store': ['anyone', 'comingBack'],
          'reactivate with consent': ['given'],
        } as Readonly<Partial<Record<Action, (string | undefined)[]>>>;
        if (to.autoRenewing && !from.autoRenewing) expect(answers[action]).toContain(needs);
        if (to.autoRenewing) needs = undefined;
        else if (action === 'cancel') needs = needs === 'given' ? 'comingBack' : 'anyone';
        else if (from.autoRenewing) needs = 'given';
        else if (needs === 'anyone' && to.consent !== null) needs = 'comingBack';
        expect(to.consent !== null && (to.autoRenewing || to.terminatedTime !== null)).toBe(false);
        from = to;
      }
    }),
    { numRuns: 2_000 },
  );
});
