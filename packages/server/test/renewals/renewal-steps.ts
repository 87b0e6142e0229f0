// The random steps of a history of subscriptions.

import fc from 'fast-check';
import type { CrashPoint } from '../../src/runtime/crash-points.ts';
import type { Decision } from './test-gateway.ts';

/** The state of the gateway for a while. */
export const decisions = {
  paid: { outcome: 'paid' },
  declined: { outcome: 'declined' },
  'declined for good': { outcome: 'declined_final' },
  pending: { outcome: 'pending' },
  'out of order': { outcome: 'paid', trouble: { status: 503 } },
  'losing requests': { outcome: 'paid', trouble: 'lostRequest' },
  'losing answers': { outcome: 'paid', trouble: 'reset' },
  'losing declines': { outcome: 'declined', trouble: 'reset' },
} as const satisfies Record<string, Decision>;

const modes = Object.keys(decisions) as (keyof typeof decisions)[];

export type Call = { readonly of: number } & (
  | { readonly call: 'cancel' | 'reactivate'; readonly by: 'app' | 'store' }
  | { readonly call: 'void'; readonly back: number }
);

export type Step =
  /** Time passes, and `servers` servers process what is due; with a crash, each dies when it first reaches that point. */
  | {
      readonly step: 'pass';
      readonly hours: number;
      readonly servers: 1 | 2;
      readonly crash: CrashPoint | null;
    }
  | { readonly step: 'gateway'; readonly is: keyof typeof decisions }
  | { readonly step: 'call'; readonly during: 'quiet' | 'charge'; readonly asked: Call };

export interface History {
  readonly starts: readonly number[];
  readonly steps: readonly Step[];
}

const start = fc.oneof(
  fc.constantFrom(Date.UTC(2026, 0, 31, 9), Date.UTC(2027, 11, 31), Date.UTC(2028, 1, 29, 23, 59, 59, 999)),
  fc.integer({ min: Date.UTC(2026, 0, 29), max: Date.UTC(2026, 2, 3) }),
);
const of = fc.nat(2);
const call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({
    call: fc.constantFrom('cancel' as const, 'reactivate' as const),
    by: fc.constantFrom('app' as const, 'store' as const),
    of,
  }),
  fc.record({ call: fc.constant('void' as const), back: fc.nat(2), of }),
);
const crash = fc.constantFrom<CrashPoint>('afterAttempt', 'afterCharge', 'beforeCommit', 'afterCommit');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      step: fc.constant('pass' as const),
      hours: fc.oneof(fc.constantFrom(1, 24, 31 * 24), fc.integer({ min: 1, max: 1_600 })),
      servers: fc.constantFrom(1 as const, 2 as const),
      crash: fc.option(crash, { freq: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ step: fc.constant('gateway' as const), is: fc.constantFrom(...modes) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constant('call' as const),
      during: fc.constantFrom('quiet' as const, 'charge' as const),
      asked: call,
    }),
  },
);

export const histories: fc.Arbitrary<History> = fc.record({
  starts: fc.array(start, { minLength: 1, maxLength: 3 }),
  steps: fc.array(step, { minLength: 1, maxLength: 14 }),
});
