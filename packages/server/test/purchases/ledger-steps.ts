// The steps of a random history as plain data, which fast-check can shrink and people can read.

import fc from 'fast-check';

export type Step =
  | {
      readonly do: 'record';
      readonly purchase: number;
      readonly productId: 'coins' | 'monthly';
      readonly order?: number;
      readonly developerPayload?: string;
      readonly price?: number;
      /** The purchaseTime relative to now, in ms. */
      readonly at?: number;
    }
  | { readonly do: 'consume' | 'read'; readonly purchase: number }
  | { readonly do: 'void'; readonly purchase: number; readonly reason: 'customer' | 'system' }
  | { readonly do: 'cancel' | 'reactivate'; readonly purchase: number; readonly by: 'developer' | 'operator' }
  | { readonly do: 'list'; readonly pageSize: number; readonly since?: number }
  | { readonly do: 'pass'; readonly ms: number };

/** Few ids, so that steps affect the same purchases. */
const purchase = fc.nat(4);

const dayMs = 86_400_000;
/** The durations between the states of a subscription, and those after which a void leaves the voided list. */
const spans = [
  1,
  999,
  60_000,
  3_600_000,
  dayMs,
  14 * dayMs,
  30 * dayMs,
  31 * dayMs,
  62 * dayMs,
  -1_000,
  -30_000,
];

const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

/** Omits undefined values, like JSON. */
const dropUndefined = <Value extends object>(value: Value) =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        do: fc.constant('record' as const),
        purchase,
        productId: fc.constantFrom('coins' as const, 'monthly' as const),
        order: optional(fc.nat(2)),
        developerPayload: optional(fc.constantFrom('', 'payload', '\u{1f600} "\\')),
        price: optional(fc.constantFrom(0, 499, 1_000_000_000_000)),
        at: optional(fc.constantFrom(0, -1, -dayMs, -40 * dayMs, 60_000, 60_001)),
      })
      .map((recording) => dropUndefined(recording) as Step),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('consume' as const), purchase }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('read' as const), purchase }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('void' as const),
      purchase,
      reason: fc.constantFrom('customer' as const, 'system' as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('cancel' as const, 'reactivate' as const),
      purchase,
      by: fc.constantFrom('developer' as const, 'operator' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({
        do: fc.constant('list' as const),
        pageSize: fc.constantFrom(1, 2, 3, 999),
        since: optional(fc.constantFrom(0, 1, dayMs, 30 * dayMs, 31 * dayMs, 31 * dayMs + 60_000)),
      })
      .map((list) => dropUndefined(list) as Step),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(...spans) }) },
);

export const history = fc.array(step, { minLength: 1, maxLength: 60, size: 'max' });
