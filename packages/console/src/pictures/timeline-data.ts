// What the picture of a subscription shows: the months, the charges and the changes of auto-payment of a window, as the API
// returned them. It knows nothing of pixels.

import type { Attempt, Subscription, SubscriptionEvent } from '@opentill/client/operator';
import { eventText } from '../parts/event-words.ts';
import { dayMs, hourMs, minuteMs } from '../runtime/durations.ts';

export type BarKind = 'paid' | 'voided' | 'outstanding' | 'retried' | 'next';

/** A month, or a time for which no month is paid; all instants are in ms. */
export interface TimelineBar {
  readonly kind: BarKind;
  readonly start: number;
  readonly end: number;
  /** Of a month. */
  readonly periodIndex?: number;
  readonly purchaseId?: string;
  /** When a month was paid, if that was after its start. */
  readonly paidLate?: number;
}

export type MarkKind =
  | 'paid'
  | 'declined'
  | 'final'
  | 'pending'
  | 'next'
  | 'cancelled'
  | 'reactivated'
  | 'ended';

/** A charge, or a change of auto-payment. */
export interface TimelineMark {
  readonly kind: MarkKind;
  readonly time: number;
  /** Its description in words. */
  readonly text: string;
  /** Who made the change. */
  readonly madeBy?: string;
}

export interface TimelineData {
  readonly from: number;
  readonly to: number;
  readonly now: number;
  /** In order of time; they do not overlap. */
  readonly bars: readonly TimelineBar[];
  readonly charges: readonly TimelineMark[];
  readonly switches: readonly TimelineMark[];
  /** The times in which auto-payment was on, as far as the window shows. */
  readonly renewing: readonly TimelineSpan[];
}

interface TimelineSpan {
  readonly start: number;
  readonly end: number;
}

export interface TimelineSource {
  readonly subscription: Subscription;
  readonly attempts: readonly Attempt[];
  readonly events: readonly SubscriptionEvent[];
}

/** A paid attempt that settles later than this after the start of its month has a tick of its own. */
const lateMs = 30 * minuteMs;

/** The length of a month that has not started. */
const nextMonthMs = 30 * dayMs;

/** The months of the response are the window. */
export function timelineOf({ subscription, attempts, events }: TimelineSource): TimelineData {
  const { now, expiryTime, lastPeriodIndex, months } = subscription;
  const newest = months.at(-1);
  const showsEnd = newest === undefined || newest.periodIndex >= lastPeriodIndex;
  const paid = months.map((month) => barOf(month, attempts));
  const unpaid = showsEnd ? unpaidBars(subscription) : [];
  const bars = [...paid, ...unpaid];
  const from = bars[0]?.start ?? subscription.startTime;
  const end = Math.max(from + dayMs, ...bars.map((bar) => bar.end));
  const to = showsEnd && now > end && now < end + 2 * nextMonthMs ? now + dayMs : end;
  const isInWindow = ({ time }: TimelineMark): boolean => time >= from && time <= to;
  const switches = events.flatMap(switchOf).filter(isInWindow).toSorted(byTime);
  return {
    from,
    to,
    now,
    bars,
    charges: [...chargesOf(subscription, { attempts, events }), ...nextCharge(subscription, expiryTime)]
      .filter(isInWindow)
      .toSorted(byTime),
    switches,
    renewing: renewingSpans(switches, { from, to, isOn: subscription.autoRenewing }),
  };
}

/** Before the first change that the window shows, auto-payment was in the other state; without one, it is as now. */
function renewingSpans(
  switches: readonly TimelineMark[],
  { from, to, isOn }: { readonly from: number; readonly to: number; readonly isOn: boolean },
): TimelineSpan[] {
  const [first] = switches;
  const spans: TimelineSpan[] = [];
  let start = (first === undefined ? isOn : first.kind !== 'reactivated') ? from : undefined;
  for (const { kind, time } of switches) {
    if (kind === 'reactivated') start ??= time;
    else if (start !== undefined) {
      spans.push({ start, end: time });
      start = undefined;
    }
  }
  return start === undefined ? spans : [...spans, { start, end: to }];
}

/** The same with the time of these marks only, and some time around it. */
export function zoomedTo(data: TimelineData, marks: readonly TimelineMark[]): TimelineData {
  const times = marks.map(({ time }) => time);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const around = Math.max(hourMs, (last - first) / 4);
  const from = Math.max(data.from, first - around);
  const to = Math.min(data.to, last + around);
  const isInWindow = ({ time }: TimelineMark): boolean => time >= from && time <= to;
  const overlaps = ({ start, end }: TimelineSpan): boolean => end > from && start < to;
  return {
    ...data,
    from,
    to,
    bars: data.bars.filter(overlaps),
    charges: data.charges.filter(isInWindow),
    switches: data.switches.filter(isInWindow),
    renewing: data.renewing.filter(overlaps),
  };
}

function byTime(left: TimelineMark, right: TimelineMark): number {
  return left.time - right.time;
}

function barOf(month: Subscription['months'][number], attempts: readonly Attempt[]): TimelineBar {
  const { periodIndex, startTime: start, expiryTime: end } = month;
  const paid = attempts.find((attempt) => attempt.periodIndex === periodIndex && attempt.outcome === 'paid');
  const settled = paid?.settledTime ?? start;
  return {
    kind: month.purchaseState === 1 ? 'voided' : 'paid',
    start,
    end,
    periodIndex,
    purchaseId: month.purchaseId,
    ...(settled > start + lateMs && { paidLate: settled }),
  };
}

/** The time after the last paid month. */
function unpaidBars({ state, expiryTime, now, autoRenewing }: Subscription): TimelineBar[] {
  if (!autoRenewing) return [];
  const end = expiryTime + nextMonthMs;
  if (state !== 'payment_outstanding') return [{ kind: 'next', start: expiryTime, end }];
  const outstanding = { kind: 'outstanding', start: expiryTime, end: Math.max(now, expiryTime + 1) } as const;
  return now >= end ? [outstanding] : [outstanding, { kind: 'retried', start: outstanding.end, end }];
}

function chargesOf(
  { lastPeriodIndex }: Subscription,
  { attempts, events }: Pick<TimelineSource, 'attempts' | 'events'>,
): TimelineMark[] {
  const wasLastDecline = events.some(({ expiryReason }) => expiryReason === 'declined');
  const [newest] = attempts;
  return attempts.map((attempt) => {
    const { outcome, settledTime, begunTime, attempt: number, periodIndex } = attempt;
    const isFinal =
      outcome === 'declined_final' ||
      (outcome === 'declined' && wasLastDecline && attempt === newest && periodIndex > lastPeriodIndex);
    const kind = isFinal ? 'final' : outcome === 'paid' || outcome === 'declined' ? outcome : 'pending';
    return {
      kind,
      time: settledTime ?? begunTime,
      text: `Charge for month ${periodIndex + 1}, attempt ${number}: ${chargeWords[kind]}`,
    };
  });
}

const chargeWords = {
  paid: 'paid',
  declined: 'declined',
  final: 'declined, and not tried again',
  pending: 'without an outcome',
} as const;

function nextCharge({ nextPaymentTime }: Subscription, expiryTime: number): TimelineMark[] {
  if (nextPaymentTime === undefined) return [];
  const text = nextPaymentTime > expiryTime ? 'Next attempt to charge' : 'Next payment';
  return [{ kind: 'next', time: nextPaymentTime, text }];
}

const switchKinds: Readonly<Record<string, MarkKind>> = {
  'subscription.auto_payment_cancelled': 'cancelled',
  'subscription.auto_payment_reactivated': 'reactivated',
  'subscription.terminated': 'ended',
  'subscription.expired': 'ended',
};

function switchOf({ type, eventTime, madeBy }: SubscriptionEvent): TimelineMark[] {
  const kind = switchKinds[type];
  return kind === undefined ? [] : [{ kind, time: eventTime, text: eventText(type), madeBy }];
}
