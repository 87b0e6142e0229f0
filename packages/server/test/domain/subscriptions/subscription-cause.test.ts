// Every state of a subscription has a cause: one sentence, with evidence.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startedAt } from '../../../../../test/support/subscriptions/started.ts';
import type { PurchaseId } from '../../../src/domain/identifiers.ts';
import { type Subscription, subscriptionStateAt } from '../../../src/domain/subscriptions/subscription.ts';
import { causeOf, type SubscriptionFacts } from '../../../src/domain/subscriptions/subscription-cause.ts';

const expiryTime = Date.UTC(2026, 3, 15, 12);
const renewalAuthor = 'job:renewals';

const active = startedAt(Date.UTC(2026, 2, 15, 12), { purchaseId: 'S-1' as PurchaseId }).subscription;
const end = { autoRenewing: false, nextPaymentTime: null, cancelReason: '1', cancelledTime: 5 } as const;
const off: Subscription = { ...active, ...end };

const declined = {
  periodIndex: 1,
  attempt: 3,
  outcome: 'declined',
  wasPending: false,
  settledTime: 5,
} as const;
const open = { ...declined, outcome: null, settledTime: null } as const;
const paidBefore = { ...declined, periodIndex: 0, outcome: 'paid' } as const;

const usual: SubscriptionFacts = {
  subscription: active,
  now: expiryTime - 1,
  newest: undefined,
  isNewestPeriodVoided: false,
  cancelledBy: null,
  renewalAuthor,
  isPaused: false,
};
const outstanding = { ...usual, now: expiryTime };
const expired = { ...outstanding, subscription: off, cancelledBy: renewalAuthor };
const ended = { ...usual, subscription: { ...off, terminatedTime: 5 }, cancelledBy: 'operator:ann' };
const awaited: Subscription = { ...off, consent: 'awaited' };
const byCustomer: Subscription = { ...off, cancelReason: '0' };
const byPurchase = { purchaseId: 'S-1' };
const byAttempt = { attempt: { periodIndex: 1, attempt: 3 } };

test.each<[string, SubscriptionFacts, object]>([
  ['paid', usual, byPurchase],
  ['cancelled', { ...usual, subscription: off, cancelledBy: 'app' }, byPurchase],
  ['cancelled', { ...usual, subscription: byCustomer, cancelledBy: 'operator:ann' }, byPurchase],
  ['cancelled', { ...usual, subscription: off }, byPurchase],
  ['awaitsConsent', { ...usual, subscription: awaited }, byPurchase],
  ['noConsent', { ...expired, subscription: awaited, cancelledBy: 'operator:ann' }, byPurchase],
  ['notAttempted', outstanding, {}],
  ['notAttempted', { ...outstanding, newest: paidBefore }, {}],
  ['paused', { ...outstanding, isPaused: true }, {}],
  ['declined', { ...outstanding, newest: declined }, byAttempt],
  ['declined', { ...outstanding, newest: declined, isPaused: true }, byAttempt],
  ['noAnswer', { ...outstanding, newest: open }, byAttempt],
  ['noAnswer', { ...outstanding, newest: { ...open, wasPending: true } }, byAttempt],
  ['cancelled', { ...expired, cancelledBy: 'app' }, byPurchase],
  ['declined', { ...expired, newest: declined }, byAttempt],
  ['declined', { ...expired, newest: declined, cancelledBy: 'operator:ann' }, byAttempt],
  ['overdue', expired, {}],
  ['overdue', { ...expired, newest: open }, byAttempt],
  ['voided', { ...ended, isNewestPeriodVoided: true }, byPurchase],
  ['cancelledUnpaid', { ...ended, newest: declined }, byAttempt],
])('the cause of a subscription is %s: %#', (kind, facts, evidence) => {
  expect(causeOf(facts)).toEqual({ kind, text: expect.any(String), ...evidence });
});

test('every state and history has one sentence of cause, whose evidence exists', () => {
  const subscription = fc.constantFrom<Subscription>(
    active,
    off,
    byCustomer,
    awaited,
    { ...off, terminatedTime: 5 },
    { ...byCustomer, terminatedTime: 5, lastPeriodIndex: 3 },
  );
  const attempt = fc.record({
    periodIndex: fc.integer({ min: 1, max: 4 }),
    attempt: fc.integer({ min: 1, max: 5 }),
    outcome: fc.constantFrom('paid', 'declined', 'declinedFinal', null),
    wasPending: fc.boolean(),
    settledTime: fc.constantFrom(5, 6, null),
  });
  const facts = fc.record<SubscriptionFacts>({
    subscription,
    now: fc.constantFrom(expiryTime - 1, expiryTime, expiryTime + 1),
    newest: fc.option(attempt, { nil: undefined }),
    isNewestPeriodVoided: fc.boolean(),
    cancelledBy: fc.constantFrom(null, 'app', 'operator:ann', renewalAuthor),
    renewalAuthor: fc.constant(renewalAuthor),
    isPaused: fc.boolean(),
  });
  fc.assert(
    fc.property(facts, (drawn) => {
      const { text, attempt: shown, purchaseId } = causeOf(drawn);
      expect(text).toMatch(/^[A-Z].*\.$/);
      expect(text).not.toMatch(/undefined|null|\.\./);
      if (shown !== undefined) expect(drawn.newest).toMatchObject(shown);
      if (purchaseId !== undefined) expect(purchaseId).toBe(drawn.subscription.lastPurchaseId);
      const isEnded = subscriptionStateAt(drawn.subscription, drawn.now) === 'terminated';
      expect(['voided', 'cancelledUnpaid'].includes(causeOf(drawn).kind)).toBe(isEnded);
    }),
  );
});
