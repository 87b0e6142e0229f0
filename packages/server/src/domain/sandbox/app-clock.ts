// The clock of a sandbox app: how its time follows from real time, and how it is set and advanced
// (docs/decisions/sandbox.md). It does not know what falls due during an advance.

import { timestampMax } from '@opentill/contract/fields.ts';
import { Temporal } from 'temporal-polyfill';
import { clockLeaseMs, isLeased } from '../clocks/leases.ts';
import { quoteInstant, quoteValue } from '../text/quoted-value.ts';
import { dayMs } from '../time.ts';

/** Instants are in ms. An app without a clock uses real time. */
export interface AppClock {
  readonly mode: 'running' | 'frozen';
  /** App time per real time while the clock is running. */
  readonly rate: number;
  /** The real instant at which the app's time is `appTime`; the clock does not move before it. */
  readonly realTime: number;
  readonly appTime: number;
}

/**
 * The latest time of any app clock: a period that starts here, and the last attempt to charge it, still have instants of 13
 * digits.
 */
export const appTimeMax = timestampMax - 62 * dayMs;

/** The app's time in whole ms. It never goes back unless real time does. */
export function appNow(clock: AppClock | undefined, realNow: number): number {
  if (clock === undefined) return realNow;
  if (clock.mode === 'frozen') return clock.appTime;
  const passed = Math.max(0, realNow - clock.realTime) * clock.rate;
  return Math.max(clock.appTime, Math.min(appTimeMax, Math.floor(clock.appTime + passed)));
}

/** Changes the mode and rate of a clock without changing its current time. */
export function setAppClock(
  clock: AppClock | undefined,
  to: { readonly mode: AppClock['mode']; readonly rate: number; readonly realNow: number },
): AppClock {
  return { mode: to.mode, rate: to.rate, realTime: to.realNow, appTime: appNow(clock, to.realNow) };
}

/** Whether the clock is being advanced at this real instant; only one advance may run at a time. */
export function isAdvancing(
  clock: { readonly leaseUntil: number | null } | undefined,
  realNow: number,
): boolean {
  return isLeased(clock?.leaseUntil, realNow, clockLeaseMs);
}

/** The calendar years that one advance may cover. */
const advanceYearsMax = 10;

interface AdvanceRequest {
  /** An ISO 8601 duration, counted by the calendar of `timeZone`. */
  readonly by?: string | undefined;
  /** An instant of the app, ms. */
  readonly to?: number | undefined;
  readonly timeZone: string;
  /** The app's instant now. */
  readonly now: number;
}

/** `field` is undefined if the combination of both fields is invalid. */
type AdvanceDecision = { readonly to: number } | { readonly field?: 'by' | 'to'; readonly message: string };

/** Decides how far an advance goes. */
export function decideAdvance(request: AdvanceRequest): AdvanceDecision {
  const { by, to, now, timeZone } = request;
  if ((by === undefined) === (to === undefined)) {
    return { message: `expected exactly one of by and to, got ${by === undefined ? 'neither' : 'both'}` };
  }
  if (to !== undefined) return checkTarget('to', to, { now, timeZone });
  const duration = parseDuration(by ?? '');
  if (duration === undefined) {
    const expected = 'expected an ISO 8601 duration such as P1M, P1Y or PT90S';
    return { field: 'by', message: `${expected}, got ${quoteValue(by ?? '')}` };
  }
  const aim = added(now, timeZone, duration);
  return aim === undefined ? tooFar('by', { now, timeZone }) : checkTarget('by', aim, { now, timeZone });
}

interface Present {
  readonly now: number;
  readonly timeZone: string;
}

function checkTarget(field: 'by' | 'to', aim: number, present: Present): AdvanceDecision {
  if (aim < present.now) {
    const message = `expected at least ${quoteInstant(present.now)}, the current time of the app, got ${quoteInstant(aim)}`;
    return { field, message };
  }
  return aim > latestTarget(present) ? tooFar(field, present) : { to: aim };
}

function latestTarget({ now, timeZone }: Present): number {
  return Math.min(appTimeMax, added(now, timeZone, { years: advanceYearsMax }) ?? appTimeMax);
}

function tooFar(field: 'by' | 'to', present: Present): AdvanceDecision {
  const furthest = latestTarget(present);
  return {
    field,
    message: `expected at most ${quoteInstant(furthest)}, ${advanceYearsMax} years after the current time of the app`,
  };
}

function parseDuration(text: string): Temporal.Duration | undefined {
  try {
    return Temporal.Duration.from(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns undefined for an instant outside the range of the calendar. */
function added(instant: number, timeZone: string, duration: Temporal.DurationLike): number | undefined {
  try {
    return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone).add(duration)
      .epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
