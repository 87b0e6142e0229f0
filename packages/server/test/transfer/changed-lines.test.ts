// A line of a subscription with one field changed is rejected, or the subscription renews for whole periods.

import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { startedAt } from '../../../../test/support/subscriptions/started.ts';
import type { PurchaseId } from '../../src/domain/identifiers.ts';
import { decideExtension } from '../../src/domain/subscriptions/extension.ts';
import {
  decidePaidPeriod,
  type PaidPeriod,
  type Subscription,
} from '../../src/domain/subscriptions/subscription.ts';
import { subscriptionProblems } from '../../src/domain/subscriptions/subscription-rules.ts';
import { dayMs, hourMs } from '../../src/domain/time.ts';
import { renewableFromRow, type SubscriptionRow } from '../../src/store/subscriptions/subscriptions.ts';
import { subscription as table } from '../../src/store/tables/ledger.ts';
import { readImportLine } from '../../src/store/transfer/import-line.ts';
import { firstPeriods, periods } from '../domain/subscriptions/sold-periods.ts';

const packageName = 'com.example.changed';

const life = fc.record({
  startTime: fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2030, 0) }),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
  period: periods,
  firstPeriod: firstPeriods,
  paid: fc.nat(5),
  extendedMs: fc.option(fc.integer({ min: hourMs, max: 40 * dayMs }), { nil: undefined }),
});

const change = fc.oneof(
  fc.record({ field: fc.constant('period'), to: periods, hasAnchor: fc.boolean() }),
  fc.record({ field: fc.constant('firstPeriod'), to: firstPeriods.map((length) => length ?? undefined) }),
  fc.record({
    field: fc.constantFrom('anchorIndex', 'lastPeriodIndex'),
    by: fc.constantFrom(-2, -1, 1, 2, 100),
  }),
  fc.record({
    field: fc.constantFrom('anchorTime', 'expiryTime', 'nextPaymentTime', 'lastStartTime', 'firstStartTime'),
    by: fc.oneof(fc.integer({ min: -400 * dayMs, max: 400 * dayMs }), fc.constantFrom(-dayMs, -1, 1, dayMs)),
  }),
  fc.record({
    field: fc.constantFrom(
      'period',
      'firstPeriod',
      'renewalPrice',
      'anchorTime',
      'anchorIndex',
      'nextPaymentTime',
    ),
    to: fc.constant(undefined),
  }),
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

const noAnchor = { anchorTime: undefined, anchorIndex: undefined };

interface Stored {
  readonly subscription: Subscription;
  readonly periods: readonly PaidPeriod[];
}

function lived({
  startTime,
  paid,
  extendedMs,
  ...sold
}: typeof life extends fc.Arbitrary<infer V> ? V : never): Stored {
  const first = startedAt(startTime, sold);
  let { subscription } = first;
  const periods = [first.paidPeriod];
  for (let index = 1; index <= paid; index += 1) {
    const next = decidePaidPeriod(subscription, `period-${index}` as PurchaseId);
    subscription = next.changed;
    periods.push(next.paidPeriod);
  }
  if (extendedMs === undefined) return { subscription, periods };
  const now = subscription.expiryTime - 1;
  const expiryTime = subscription.expiryTime + extendedMs;
  const renewable = { ...subscription, openChargeTime: null, isExpired: false };
  const decision = decideExtension(renewable, { now, expiryTime });
  if (decision.kind !== 'changed') throw new Error(decision.kind);
  const last = periods.at(-1) as PaidPeriod;
  return { subscription: decision.changed, periods: [...periods.slice(0, -1), { ...last, expiryTime }] };
}

/** Undefined if the line is rejected. */
function imported(
  { subscription, periods }: Stored,
  { field, ...changed }: Change,
): Subscription | undefined {
  const known = Object.keys(table.columns).map((name): [string, unknown] => [
    name,
    (subscription as unknown as Readonly<Record<string, unknown>>)[name] ?? undefined,
  ]);
  const line = { ...Object.fromEntries(known), expiryEventWritten: false };
  const value = 'to' in changed ? changed.to : Number(line[field as keyof typeof line]) + changed.by;
  // Another store knows no anchor, and an import derives it.
  const anchor = 'hasAnchor' in changed && !changed.hasAnchor && noAnchor;
  const given = Object.entries({ ...line, [field]: value, ...anchor }).filter(([, one]) => one !== undefined);
  const read = readImportLine(
    { number: 1, name: 'Line 1' },
    { kind: 'subscription', packageName, ...Object.fromEntries(given) },
  );
  if ('problem' in read) return undefined;
  const nulls = Object.fromEntries(Object.keys(table.columns).map((name) => [name, null]));
  const row = renewableFromRow({ packageName, ...nulls, ...read.values } as SubscriptionRow);
  const { productId } = subscription;
  const stored = {
    subscription: row,
    periods: periods.map((paidPeriod) => ({ ...paidPeriod, productId })),
    attempts: [],
  };
  const problems = subscriptionProblems(stored, { packageName, now: subscription.expiryTime - dayMs });
  return problems.length > 0 ? undefined : row;
}

test('a subscription with any field changed is rejected, or its next periods are whole ones that follow each other', () => {
  let accepted = 0;
  fc.assert(
    fc.property(life, change, (of, one) => {
      let subscription = imported(lived(of), one);
      if (subscription === undefined) return;
      accepted += 1;
      const isAsSold = of.firstPeriod === null && of.extendedMs === undefined;
      if (isAsSold && one.field === 'period') expect(subscription.period).toBe(of.period);
      for (let count = 1; count <= 3; count += 1) {
        const { changed, paidPeriod } = decidePaidPeriod(subscription, `next-${count}` as PurchaseId);
        expect(paidPeriod.startTime).toBe(subscription.expiryTime);
        const start = Temporal.Instant.fromEpochMilliseconds(paidPeriod.startTime);
        const whole = start.toZonedDateTimeISO(changed.timeZone).add(changed.period).epochMilliseconds;
        // By the last day of a period, and by what an extension or a rule of a time zone may have moved.
        expect(Math.abs(paidPeriod.expiryTime - whole)).toBeLessThanOrEqual(3 * dayMs + 2 * dayMs + hourMs);
        subscription = changed;
      }
    }),
    { numRuns: 3_000 },
  );
  expect(accepted).toBeGreaterThan(300);
});
