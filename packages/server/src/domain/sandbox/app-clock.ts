// The clock of an app in the sandbox: how its instant follows from real time, and what setting and advancing
// it make of it (docs/decisions/sandbox.md). Who moves it, and what falls due meanwhile, is not known here.

import { timestampMax } from '@opentill/contract/fields.ts';
import { Temporal } from 'temporal-polyfill';
import { shownValue } from '../shown-value.ts';

/** Instants are in ms. An app that never set its clock has none, and lives in real time. */
export interface AppClock {
  readonly mode: 'running' | 'frozen';
  /** Ms of the app for each ms of real time, while it runs. */
  readonly rate: number;
  /** At this real instant the app's was `appTime`. A later one than now: the clock stands until then. */
  readonly realTime: number;
  readonly appTime: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * No app clock goes further, whatever its rate: a month that begins here, and the last attempt to charge it,
 * still end within 13 digits.
 */
export const appTimeMax = timestampMax - 62 * dayMs;

/** The app's instant, a whole number of ms. It never goes back while real time does not. */
export function appNow(clock: AppClock | undefined, realNow: number): number {
  if (clock === undefined) return realNow;
  if (clock.mode === 'frozen') return clock.appTime;
  const passed = Math.max(0, realNow - clock.realTime) * clock.rate;
  return Math.max(clock.appTime, Math.min(appTimeMax, Math.floor(clock.appTime + passed)));
}

/** The clock with another mode and rate: at this moment its instant stays what it is. */
export function setAppClock(
  clock: AppClock | undefined,
  to: { readonly mode: AppClock['mode']; readonly rate: number; readonly realNow: number },
): AppClock {
  return { mode: to.mode, rate: to.rate, realTime: to.realNow, appTime: appNow(clock, to.realNow) };
}

/** Whether somebody advances the clock at this real instant: then nobody else may. */
export function isAdvancing(
  clock: { readonly leaseUntil: number | null } | undefined,
  realNow: number,
): boolean {
  return (clock?.leaseUntil ?? 0) > realNow;
}

/** One advance goes at most so far by the calendar. */
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

/** `field` is undefined when it is both that are wrong together. */
type AdvanceDecision = { readonly to: number } | { readonly field?: 'by' | 'to'; readonly message: string };

/** Decides how far an advance goes. */
export function decideAdvance(request: AdvanceRequest): AdvanceDecision {
  const { by, to, now, timeZone } = request;
  if ((by === undefined) === (to === undefined)) {
    return { message: `expected exactly one of by and to, got ${by === undefined ? 'neither' : 'both'}` };
  }
  if (to !== undefined) return boundedAim('to', to, { now, timeZone });
  const duration = parseDuration(by ?? '');
  if (duration === undefined) {
    const expected = 'expected an ISO 8601 duration such as P1M, P1Y or PT90S';
    return { field: 'by', message: `${expected}, got ${shownValue(by ?? '')}` };
  }
  const aim = added(now, timeZone, duration);
  return aim === undefined ? tooFar('by', { now, timeZone }) : boundedAim('by', aim, { now, timeZone });
}

interface Present {
  readonly now: number;
  readonly timeZone: string;
}

function boundedAim(field: 'by' | 'to', aim: number, present: Present): AdvanceDecision {
  if (aim < present.now) {
    const message = `expected at least ${present.now}, the current time of the app, got ${aim}`;
    return { field, message };
  }
  return aim > furthestAim(present) ? tooFar(field, present) : { to: aim };
}

function furthestAim({ now, timeZone }: Present): number {
  return Math.min(appTimeMax, added(now, timeZone, { years: advanceYearsMax }) ?? appTimeMax);
}

function tooFar(field: 'by' | 'to', present: Present): AdvanceDecision {
  const furthest = furthestAim(present);
  return {
    field,
    message: `expected at most ${furthest} (${advanceYearsMax} years after the current time of the app)`,
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

/** Undefined for an instant that no calendar has. */
function added(instant: number, timeZone: string, duration: Temporal.DurationLike): number | undefined {
  try {
    return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone).add(duration)
      .epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
