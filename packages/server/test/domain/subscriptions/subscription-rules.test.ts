// Each contradiction between the rows of a subscription, and the states that look like one.

import { expect, test } from 'vitest';
import { startedAt } from '../../../../../test/support/subscriptions/started.ts';
import type { PackageName, ProductId, PurchaseId } from '../../../src/domain/identifiers.ts';
import { idempotencyKeyOf, type RenewableSubscription } from '../../../src/domain/subscriptions/renewal.ts';
import {
  type StoredSubscription,
  subscriptionProblems,
} from '../../../src/domain/subscriptions/subscription-rules.ts';

const packageName = 'com.example.app' as PackageName;
const [s0, s1, s2] = ['S-0', 'S-1', 'S-2'] as [PurchaseId, PurchaseId, PurchaseId];
const productId = 'monthly' as ProductId;
const at = (text: string) => Date.parse(`${text}T00:00:00Z`);
const [january, february, march, april] = ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30'].map(
  at,
) as [number, number, number, number];
/** In the second period. */
const now = at('2026-03-15');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

type PaidPeriod = StoredSubscription['periods'][number];
type Attempt = StoredSubscription['attempts'][number];

const { subscription: started } = startedAt(january, { purchaseId: s0, productId });
const paidPeriod = (periodIndex: number, more: Partial<PaidPeriod> = {}): PaidPeriod => ({
  purchaseId: [s0, s1, s2][periodIndex] ?? s0,
  productId,
  periodIndex,
  startTime: [january, february, march][periodIndex] ?? 0,
  expiryTime: [february, march, april][periodIndex] ?? 0,
  voidedTime: null,
  ...more,
});
const charge = { installation: 'ab'.repeat(16), packageName, firstPurchaseId: s0, attempt: 1 };
const attempt = (periodIndex: number, more: Partial<Attempt> = {}): Attempt => ({
  periodIndex,
  attempt: 1,
  idempotencyKey: idempotencyKeyOf({ ...charge, periodIndex }),
  nextTryTime: null,
  outcome: 'paid',
  ...more,
});

const sound: StoredSubscription = {
  subscription: {
    ...started,
    openChargeTime: null,
    isExpired: false,
    expiryTime: march,
    nextPaymentTime: march,
    lastPeriodIndex: 1,
    lastPurchaseId: s1,
    lastStartTime: february,
  },
  periods: [paidPeriod(0), paidPeriod(1)],
  attempts: [attempt(1)],
};
const off = { autoRenewing: false, nextPaymentTime: null, cancelReason: '1', cancelledTime: now } as const;
const open = { outcome: null, nextTryTime: march + hourMs } as const;
const charging = { openChargeTime: march + hourMs };

interface Altered {
  readonly of?: Partial<RenewableSubscription>;
  readonly periods?: readonly PaidPeriod[];
  readonly attempts?: readonly Attempt[];
  readonly now?: number;
}
function problemsOf({
  of = {},
  periods = sound.periods,
  attempts = sound.attempts,
  now: instant = now,
}: Altered) {
  const stored = { subscription: { ...sound.subscription, ...of }, periods, attempts };
  const problems = subscriptionProblems(stored, { packageName, now: instant });
  return problems.map(({ kind, key, problem }) => `${kind} ${key} ${problem}`);
}

const voided = { voidedTime: now, expiryTime: now };
const ended = { ...off, terminatedTime: now, expiryTime: now };

test.each<[string, Altered]>([
  ['in its second period', {}],
  [
    'whose only period keeps the 31st',
    { of: { firstPurchaseId: s1, lastPurchaseId: s1 }, periods: [paidPeriod(1)] },
  ],
  ['whose time was moved', { of: { anchorTime: march, anchorIndex: 1 } }],
  ['whose first period was voided', { periods: [paidPeriod(0, { voidedTime: now }), paidPeriod(1)] }],
  ['whose last period was voided', { of: ended, periods: [paidPeriod(0), paidPeriod(1, voided)] }],
  ['with a payment that is outstanding', { of: { nextPaymentTime: march + hourMs }, now: march + minuteMs }],
  ['with a retry of a faster clock', { of: { nextPaymentTime: march + hourMs }, now: march - minuteMs }],
  ['with an open attempt', { of: charging, attempts: [attempt(2, open)], now: april }],
  [
    'with an unresolved attempt',
    { of: { ...off, isExpired: true }, attempts: [attempt(2, { ...open, nextTryTime: null })] },
  ],
  [
    'with a period that was paid after the end',
    {
      of: { ...off, isExpired: true },
      periods: [paidPeriod(0), paidPeriod(1), paidPeriod(2, { voidedTime: april })],
      attempts: [attempt(1), attempt(2)],
      now: april,
    },
  ],
])('a subscription %s has no problem', (_, altered) => {
  expect(problemsOf(altered)).toEqual([]);
});

test.each<[string, Altered]>([
  ['subscription S-0 lastPeriodIndex', { of: { lastPeriodIndex: 2 } }],
  ['subscription S-0 firstPurchaseId', { periods: [paidPeriod(1)], attempts: [] }],
  ['subscription S-0 lastPurchaseId', { of: { lastPurchaseId: s0 } }],
  ['subscription S-0 lastStartTime', { of: { lastStartTime: january } }],
  ['subscription S-0 expiryTime', { periods: [paidPeriod(0), paidPeriod(1, { expiryTime: march + 1 })] }],
  ['subscription S-0 openChargeTime', { of: { openChargeTime: march } }],
  ['subscription S-0 openChargeTime', { attempts: [attempt(2, open)] }],
  ['subscription S-0 nextPaymentTime', { of: { nextPaymentTime: march + 1 } }],
  ['subscription S-0 nextPaymentTime', { of: { nextPaymentTime: april }, now: march + hourMs }],
  ['subscription S-0 anchorTime', { of: { anchorTime: april, anchorIndex: 1 } }],
  ['subscription S-0 anchorIndex', { of: { anchorIndex: 2 } }],
  ['subscription S-0 anchorIndex', { of: { anchorIndex: 9 }, now: march + hourMs }],
  [
    'subscription S-0 terminatedTime',
    {
      of: { ...off, expiryTime: now, anchorTime: now, anchorIndex: 1 },
      periods: [paidPeriod(0), paidPeriod(1, voided)],
    },
  ],
  [
    'subscription S-0 expiryTime',
    { of: { ...off, terminatedTime: now }, periods: [paidPeriod(0), paidPeriod(1, { voidedTime: now })] },
  ],
  ['purchase S-1 productId', { periods: [paidPeriod(0), paidPeriod(1, { productId: 'yearly' })] }],
  ['purchase S-0 startTime', { periods: [paidPeriod(0, { startTime: january + 1 }), paidPeriod(1)] }],
  [
    'purchase S-1 startTime',
    {
      of: { firstPurchaseId: s1, firstStartTime: february, anchorTime: march, anchorIndex: 1 },
      periods: [paidPeriod(1)],
      attempts: [],
    },
  ],
  ['purchase S-1 startTime', { periods: [paidPeriod(0, { expiryTime: february + 1 }), paidPeriod(1)] }],
  [
    'purchase S-2 periodIndex',
    {
      of: {
        lastPeriodIndex: 2,
        lastPurchaseId: s2,
        lastStartTime: march,
        expiryTime: april,
        nextPaymentTime: april,
      },
      periods: [paidPeriod(0, { expiryTime: march }), paidPeriod(2)],
    },
  ],
  [
    'purchase S-2 periodIndex',
    { periods: [paidPeriod(0), paidPeriod(1), paidPeriod(2, { voidedTime: now })] },
  ],
  [
    'purchase S-2 periodIndex',
    { of: { ...off, isExpired: true }, periods: [paidPeriod(0), paidPeriod(1), paidPeriod(2)] },
  ],
  ['renewalAttempt S-0 3 1 periodIndex', { attempts: [attempt(3, { outcome: 'declined' })] }],
  ['renewalAttempt S-0 2 1 periodIndex', { attempts: [attempt(2)] }],
  ['renewalAttempt S-0 2 13 periodIndex', { attempts: [attempt(2, { attempt: 13, outcome: 'declined' })] }],
  ['renewalAttempt S-0 1 1 periodIndex', { of: charging, attempts: [attempt(1, open)] }],
  [
    'renewalAttempt S-0 2 1 idempotencyKey',
    { of: charging, attempts: [attempt(2, { ...open, idempotencyKey: 'S-0/2/1' })] },
  ],
])('a contradiction of %s is the only problem', (problem, altered) => {
  expect(problemsOf(altered)).toEqual([expect.stringMatching(`^${problem}: expected `)]);
});
