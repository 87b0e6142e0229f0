// What a subscription with its periods and attempts may look like: the rules that rows have to follow together, without
// which a later charge would be wrong or fail (docs/decisions/subscriptions.md).

import type { PackageName, PurchaseId } from '../identifiers.ts';
import { purchaseTimeAheadMsMax } from '../purchases/purchase.ts';
import { quoteInstant } from '../text/quoted-value.ts';
import { dayMs } from '../time.ts';
import { periodEnd } from './calendar-period.ts';
import { attemptsMax, chargeableUntil } from './charge-times.ts';
import { lengthProblem } from './period-length.ts';
import {
  type AttemptNumber,
  dueTimeOf,
  hasEnded,
  idempotencyKeyOf,
  type RenewableSubscription,
  type SettledOutcome,
} from './renewal.ts';
import type { PaidPeriod } from './subscription.ts';

/** A subscription with all its rows. */
export interface StoredSubscription {
  readonly subscription: RenewableSubscription;
  /** In order of their index. */
  readonly periods: readonly StoredPeriod[];
  readonly attempts: readonly StoredAttempt[];
}

type StoredPeriod = Pick<
  PaidPeriod,
  'purchaseId' | 'periodIndex' | 'startTime' | 'expiryTime' | 'voidedTime'
> & { readonly productId: string };

interface StoredAttempt extends AttemptNumber {
  readonly idempotencyKey: string;
  readonly nextTryTime: number | null;
  /** Null while the attempt is open. */
  readonly outcome: SettledOutcome | null;
}

/** A row that contradicts the others. */
export interface RowProblem {
  /** The kind of its line in an export. */
  readonly kind: 'subscription' | 'purchase' | 'renewalAttempt';
  readonly key: string;
  /** The field, and what was expected. */
  readonly problem: string;
}

/** A change of the rules of a time zone moves an end that was stored before by less. */
const zoneChangeMsMax = dayMs;

/** An extension moves an end by up to a day from the calendar. */
const movedMsMax = dayMs + zoneChangeMsMax;

/** Whether its next charge would begin too late: it expires, except in a sandbox, where it is charged as of the due time. */
export function isOverdue(subscription: RenewableSubscription, now: number): boolean {
  return subscription.autoRenewing && !hasEnded(subscription) && now > chargeableUntil(subscription);
}

/** The contradictions of a subscription at an instant of its app. */
export function subscriptionProblems(
  stored: StoredSubscription,
  at: { readonly packageName: string; readonly now: number },
): RowProblem[] {
  const { firstPurchaseId } = stored.subscription;
  const problems: RowProblem[] = ofSubscription(stored, at.now).map((problem) => ({
    kind: 'subscription',
    key: firstPurchaseId,
    problem,
  }));
  for (const [position, paidPeriod] of stored.periods.entries()) {
    for (const problem of ofPeriod(paidPeriod, stored.periods[position - 1], stored)) {
      problems.push({ kind: 'purchase', key: paidPeriod.purchaseId, problem });
    }
  }
  for (const attempt of stored.attempts) {
    const key = `${firstPurchaseId} ${attempt.periodIndex} ${attempt.attempt}`;
    for (const problem of ofAttempt(attempt, stored, at.packageName)) {
      problems.push({ kind: 'renewalAttempt', key, problem });
    }
  }
  return problems;
}

/** Nothing if the values are the same. */
function expectSame(field: string, got: unknown, { is, of }: { readonly is: unknown; readonly of: string }) {
  const shown = (value: unknown) =>
    typeof value === 'number' && field.endsWith('Time') ? quoteInstant(value) : (value ?? 'none');
  return got === is ? [] : [`${field}: expected ${shown(is)}, ${of}, got ${shown(got)}`];
}

function ofSubscription({ subscription, periods, attempts }: StoredSubscription, now: number): string[] {
  const { lastPeriodIndex, terminatedTime, expiryTime } = subscription;
  const last = periods.find(({ periodIndex }) => periodIndex === lastPeriodIndex);
  if (last === undefined) return [`lastPeriodIndex: expected the index of a period, got ${lastPeriodIndex}`];
  const of = 'that of the last period';
  const open = attempts.find(({ outcome }) => outcome === null);
  const ofAnchor = anchorProblems(subscription);
  const problems = [
    ...expectSame('firstPurchaseId', subscription.firstPurchaseId, {
      is: periods[0]?.purchaseId,
      of: 'that of the first period',
    }),
    ...expectSame('lastPurchaseId', subscription.lastPurchaseId, { is: last.purchaseId, of }),
    ...expectSame('lastStartTime', subscription.lastStartTime, { is: last.startTime, of }),
    ...expectSame('expiryTime', expiryTime, { is: last.expiryTime, of }),
    ...expectSame('openChargeTime', subscription.openChargeTime, {
      is: open?.nextTryTime ?? null,
      of: 'the nextTryTime of the open attempt',
    }),
    // The end of the next period is counted from the anchor.
    ...(ofAnchor.length > 0 ? ofAnchor : paymentProblems(subscription, now)),
  ];
  const { voidedTime } = last;
  if (voidedTime === null) return problems;
  if (terminatedTime === null) problems.push('terminatedTime: expected one, because the last period is void');
  if (expiryTime > voidedTime) {
    problems.push(
      `expiryTime: expected at most ${quoteInstant(voidedTime)}, when the last period was voided, got ${quoteInstant(expiryTime)}`,
    );
  }
  return problems;
}

/** The next payment is due at the end of the period; only after it, a retry is due later, while the period may be charged. */
function paymentProblems(subscription: RenewableSubscription, now: number): string[] {
  const { nextPaymentTime, expiryTime } = subscription;
  if (nextPaymentTime === null) return [];
  const isOutstanding = expiryTime <= now + purchaseTimeAheadMsMax;
  const latest = isOutstanding ? chargeableUntil(subscription) + zoneChangeMsMax : expiryTime;
  if (nextPaymentTime >= expiryTime && nextPaymentTime <= latest) return [];
  const expected = isOutstanding
    ? `a time from ${quoteInstant(expiryTime)} to ${quoteInstant(latest)}`
    : `${quoteInstant(expiryTime)}, the expiryTime`;
  return [`nextPaymentTime: expected ${expected}, got ${quoteInstant(nextPaymentTime)}`];
}

/** An anchor from which the last period ends elsewhere would make the next one too short or too long. */
function anchorProblems(subscription: RenewableSubscription): string[] {
  const { anchorIndex, lastPeriodIndex, expiryTime, terminatedTime } = subscription;
  if (anchorIndex > lastPeriodIndex) {
    return [`anchorIndex: expected at most ${lastPeriodIndex}, the lastPeriodIndex, got ${anchorIndex}`];
  }
  if (terminatedTime !== null) return [];
  const end = periodEnd(subscription, lastPeriodIndex);
  if (Math.abs(end - expiryTime) <= movedMsMax) return [];
  return [
    `anchorTime: expected one by which the last period ends at ${quoteInstant(expiryTime)}, got one by which it ends at ${quoteInstant(end)}`,
  ];
}

function ofPeriod(
  { productId, periodIndex, startTime, expiryTime, voidedTime }: StoredPeriod,
  before: StoredPeriod | undefined,
  { subscription }: StoredSubscription,
): string[] {
  const { firstStartTime, lastPeriodIndex, anchorIndex, period, firstPeriod } = subscription;
  const problems = expectSame('productId', productId, {
    is: subscription.productId,
    of: 'that of its subscription',
  });
  if (before !== undefined) {
    const next = { is: before.periodIndex + 1, of: 'after the period before it' };
    problems.push(...expectSame('periodIndex', periodIndex, next));
    problems.push(
      ...expectSame('startTime', startTime, { is: before.expiryTime, of: 'the end of the period before it' }),
    );
  } else if (periodIndex === 0) {
    problems.push(...expectSame('startTime', startTime, { is: firstStartTime, of: 'the firstStartTime' }));
  } else if (startTime <= firstStartTime) {
    problems.push(
      `startTime: expected a time after ${quoteInstant(firstStartTime)}, the firstStartTime, got ${quoteInstant(startTime)}`,
    );
  }
  // An extension, and a store that counted otherwise, move the anchor to the end that they change.
  if (voidedTime === null && periodIndex > anchorIndex) {
    const length = periodIndex === 0 ? (firstPeriod ?? period) : period;
    const problem = lengthProblem({ startTime, expiryTime }, length);
    if (problem !== undefined) problems.push(problem);
  }
  // What was paid after the end.
  const indexMax = voidedTime !== null && hasEnded(subscription) ? lastPeriodIndex + 1 : lastPeriodIndex;
  if (periodIndex > indexMax) {
    const after = 'only a void period may follow, after the end of the subscription';
    problems.push(`periodIndex: expected at most ${indexMax}, got ${periodIndex}: ${after}`);
  }
  return problems;
}

function ofAttempt(
  { periodIndex, attempt, outcome, nextTryTime, idempotencyKey }: StoredAttempt,
  { subscription }: StoredSubscription,
  packageName: string,
): string[] {
  const { firstPurchaseId, lastPeriodIndex } = subscription;
  const nextIndex = lastPeriodIndex + 1;
  const problems: string[] = [];
  if (periodIndex > nextIndex)
    problems.push(`periodIndex: expected at most ${nextIndex}, got ${periodIndex}`);
  const isTaken = outcome === 'paid' || (outcome === null && nextTryTime === null);
  const isLast = outcome !== null && attempt >= attemptsMax;
  if ((isTaken || isLast) && periodIndex > lastPeriodIndex && dueTimeOf(subscription) !== null) {
    const charged = 'got one that would charge it again';
    problems.push(`periodIndex: expected a subscription that has this period or has ended, ${charged}`);
  }
  if (outcome !== null) return problems;
  problems.push(
    ...expectSame('periodIndex', periodIndex, { is: nextIndex, of: 'the period after the last' }),
  );
  const of = {
    packageName: packageName as PackageName,
    firstPurchaseId: firstPurchaseId as PurchaseId,
    periodIndex,
    attempt,
  };
  const installation = idempotencyKey.slice(0, idempotencyKey.indexOf('/'));
  const own = idempotencyKeyOf({ installation, ...of });
  if (idempotencyKey !== own || !/^[0-9a-f]{32}$/.test(installation)) {
    const key = idempotencyKeyOf({ installation: '<32 hexadecimal digits>', ...of });
    problems.push(`idempotencyKey: expected ${key}, got ${idempotencyKey}`);
  }
  return problems;
}
