// The random steps of everything that can happen to a subscription in production.

import fc from 'fast-check';
import type { Decision } from '../../../../test/support/renewals/test-gateway.ts';
import { defaultRetries } from '../../../../test/support/subscriptions/started.ts';
import { dayMs, hourMs } from '../../src/domain/time.ts';
import { firstPeriods, periods } from '../domain/subscriptions/sold-periods.ts';

/** What the gateway does from then on; `late` answers when a later step says so. */
export const answers = {
  paid: { outcome: 'paid' },
  late: { outcome: 'paid' },
  declined: { outcome: 'declined' },
  pending: { outcome: 'pending' },
  'status 500': { outcome: 'paid', trouble: { status: 500 } },
  'lost request': { outcome: 'paid', trouble: 'lostRequest' },
  'lost answer': { outcome: 'paid', trouble: 'reset' },
  'lost for one in five': { outcome: 'paid', trouble: 'reset' },
} as const satisfies Record<string, Decision>;

type Answer = keyof typeof answers;

/** The answer to a charge that a step gives. */
export interface LateAnswer {
  readonly key: string;
  readonly id: string;
  readonly give: () => void;
}

const hours = fc.constantFrom(6, 24, 3 * 24, 9 * 24, 21 * 24, 31 * 24, 100 * 24);
const minutes = fc.oneof(
  fc.constantFrom(1, 9, 11, 61),
  hours.map((count) => count * 60),
);
const of = fc.nat(3);

/** The price of the next period, and consent. */
const changedTerms = fc.record({
  step: fc.constantFrom(
    ...(['price', 'priceAndAsk', 'ask', 'consent', 'appCancel', 'appReactivate'] as const),
  ),
  of,
  price: fc.constantFrom(0, 599, 699),
});
export type ChangedTerms = typeof changedTerms extends fc.Arbitrary<infer Step> ? Step : never;

const one = <const Step extends object>(
  weight: number,
  arbitrary: fc.Arbitrary<Step>,
): fc.WeightedArbitrary<Step> => ({ weight, arbitrary });

const step = fc.oneof(
  one(8, fc.record({ step: fc.constant('pass' as const), minutes })),
  one(
    4,
    fc.record({
      step: fc.constant('gateway' as const),
      is: fc.constantFrom(...(Object.keys(answers) as Answer[])),
    }),
  ),
  one(
    4,
    fc.record({
      step: fc.constantFrom(...(['cancel', 'cancel', 'reactivate', 'reactivate', 'void', 'erase'] as const)),
      of,
    }),
  ),
  one(6, changedTerms),
  one(2, fc.record({ step: fc.constant('extend' as const), of, days: fc.constantFrom(1, 10, 40) })),
  one(2, fc.record({ step: fc.constant('settle' as const), of, isTrue: fc.boolean() })),
  one(
    2,
    fc.record({
      step: fc.constant('kill' as const),
      at: fc.constantFrom('afterAttempt' as const, 'beforeCommit' as const, 'afterCommit' as const),
    }),
  ),
  one(
    2,
    fc.record({
      step: fc.constant('unavailable' as const),
      at: fc.constantFrom('beforeCommit' as const, 'afterCommit' as const),
    }),
  ),
  one(
    3,
    fc.record({
      step: fc.constantFrom(
        'pause' as const,
        'resume' as const,
        'disable' as const,
        'enable' as const,
        'restart' as const,
        'release' as const,
      ),
    }),
  ),
);
export type ChanceStep = typeof step extends fc.Arbitrary<infer Step> ? Step : never;

const sold = fc.record({
  period: periods,
  firstPeriod: firstPeriods,
  isFree: fc.constantFrom(false, false, false, true),
});
export type Sold = typeof sold extends fc.Arbitrary<infer Value> ? Value : never;

const stepsMax = 40;

export const chances = fc.record({
  /** How far the clocks of the two jobs are from that of the server, in ms. */
  offsets: fc.tuple(fc.integer({ min: -25_000, max: 0 }), fc.integer({ min: 0, max: 25_000 })),
  retries: fc.constantFrom(defaultRetries, [hourMs], [dayMs, 9 * dayMs, 17 * dayMs, 18 * dayMs]),
  /** The period of each subscription. */
  sold: fc.array(sold, { minLength: 4, maxLength: 4 }),
  steps: fc.array(step, { minLength: stepsMax, maxLength: stepsMax }),
});
export type Chance = typeof chances extends fc.Arbitrary<infer Value> ? Value : never;
