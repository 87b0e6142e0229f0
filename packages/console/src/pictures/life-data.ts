// What the picture of a subscription shows: the periods, the charges and the changes of auto-payment of a window, as the API
// returned them. It knows nothing of pixels.

import type { Attempt, ListedSubscription, Subscription, SubscriptionEvent } from '@opentill/client/operator';
import { eventText } from '../parts/event-labels.ts';
import { dayMs } from '../runtime/durations.ts';
import { aboutMs } from '../values/period.ts';

/** A period that was paid after the end, and voided, is one more. */
export function livedPeriods({
  lastPeriodIndex,
  voidedPeriods,
}: Pick<ListedSubscription, 'lastPeriodIndex' | 'voidedPeriods'>): number {
  return Math.max(lastPeriodIndex, ...voidedPeriods) + 1;
}

export type BarKind = 'paid' | 'free' | 'voided' | 'outstanding' | 'next';

/** A period, or a time for which no period is paid; all instants are in ms. */
export interface LifeBar {
  readonly kind: BarKind;
  readonly start: number;
  readonly end: number;
  /** Set for a period. */
  readonly periodIndex?: number;
}

export type MarkKind =
  | 'paid'
  | 'declined'
  | 'pending'
  | 'next'
  | 'cancelled'
  | 'awaiting'
  | 'reactivated'
  | 'ended';

/** A charge, or a change of auto-payment. */
export interface LifeMark {
  readonly kind: MarkKind;
  readonly time: number;
  /** Its description in words. */
  readonly text: string;
}

export interface LifeData {
  readonly from: number;
  readonly to: number;
  readonly now: number;
  /** In order of time; they do not overlap. */
  readonly bars: readonly LifeBar[];
  readonly charges: readonly LifeMark[];
  readonly switches: readonly LifeMark[];
}

/** The periods of the response are the window. `renewal` is what the next one costs. */
export function lifeOf(subscription: Subscription, renewal: string): LifeData {
  const { now, period, expiryTime, lastPeriodIndex, periods, attempts, events } = subscription;
  const newest = periods.at(-1);
  const showsEnd = newest === undefined || newest.periodIndex >= lastPeriodIndex;
  const paid = periods.map(barOf);
  const unpaid = showsEnd ? unpaidBars(subscription) : [];
  const bars = [...paid, ...unpaid];
  const from = bars[0]?.start ?? subscription.startTime;
  // An outstanding period that has just begun needs room to be seen.
  const nextEnd = unpaid.length > 0 ? expiryTime + aboutMs(period) : 0;
  const end = Math.max(from + dayMs, nextEnd, ...bars.map((bar) => bar.end));
  const to = showsEnd && now > end && now < end + 2 * aboutMs(period) ? now + dayMs : end;
  const isInWindow = ({ time }: LifeMark): boolean => time >= from && time <= to;
  return {
    from,
    to,
    now,
    bars,
    charges: [...attempts.map(chargeOf), ...nextCharge(subscription, renewal)]
      .filter(isInWindow)
      .toSorted(byTime),
    switches: events.flatMap(switchOf).filter(isInWindow).toSorted(byTime),
  };
}

function byTime(left: LifeMark, right: LifeMark): number {
  return left.time - right.time;
}

function barOf({
  periodIndex,
  startTime,
  expiryTime,
  purchaseState,
  price,
}: Subscription['periods'][number]): LifeBar {
  const kind = purchaseState === 1 ? 'voided' : price === 0 ? 'free' : 'paid';
  return { kind, start: startTime, end: expiryTime, periodIndex };
}

/** The time after the last paid period. */
function unpaidBars({ state, period, expiryTime, now, autoRenewing }: Subscription): LifeBar[] {
  if (!autoRenewing) return [];
  if (state !== 'paymentOutstanding')
    return [{ kind: 'next', start: expiryTime, end: expiryTime + aboutMs(period) }];
  return [{ kind: 'outstanding', start: expiryTime, end: Math.max(now, expiryTime + 1) }];
}

function chargeOf({ outcome, settledTime, begunTime, attempt, periodIndex }: Attempt): LifeMark {
  const isDeclined = outcome === 'declined' || outcome === 'declinedFinal';
  const kind = isDeclined ? 'declined' : (outcome ?? 'pending');
  const words = kind === 'pending' ? 'without an outcome' : kind;
  return {
    kind,
    time: settledTime ?? begunTime,
    text: `Charge for period ${periodIndex + 1}, attempt ${attempt}: ${words}`,
  };
}

function nextCharge({ nextPaymentTime, expiryTime }: Subscription, renewal: string): LifeMark[] {
  if (nextPaymentTime === undefined) return [];
  const text = nextPaymentTime > expiryTime ? 'Next attempt to charge' : 'Next payment';
  return [{ kind: 'next', time: nextPaymentTime, text: `${text}: ${renewal}` }];
}

const switchKinds: Readonly<Record<string, MarkKind>> = {
  'subscription.auto_payment_cancelled': 'cancelled',
  'subscription.auto_payment_reactivated': 'reactivated',
  'subscription.terminated': 'ended',
  'subscription.expired': 'ended',
};

function switchOf({ type, eventTime, consent }: SubscriptionEvent): LifeMark[] {
  const kind = consent === 'awaited' ? 'awaiting' : switchKinds[type];
  return kind === undefined ? [] : [{ kind, time: eventTime, text: eventText(type) }];
}

/** "Period 3: paid"; the time after the last period has no number. */
export function barName({ kind, periodIndex }: LifeBar): string {
  return `${periodIndex === undefined ? 'Not paid yet' : `Period ${periodIndex + 1}`}: ${kind}`;
}

/** The picture in one sentence, for people who do not see it. */
export function lifeSummary({ from, to, bars, charges, switches }: LifeData, textOf: (ms: number) => string) {
  const count = (kind: BarKind) => bars.filter((bar) => bar.kind === kind).length;
  const declined = charges.filter(({ kind }) => kind === 'declined').length;
  const parts = [
    `${count('paid')} paid periods`,
    ...(count('free') > 0 ? [`${count('free')} free`] : []),
    `${count('voided')} voided`,
    `${charges.length} charges, ${declined} declined`,
    `${switches.length} changes of auto-payment`,
    ...(count('outstanding') > 0 ? ['a payment is outstanding'] : []),
  ];
  return `From ${textOf(from)} to ${textOf(to)}: ${parts.join(', ')}.`;
}
