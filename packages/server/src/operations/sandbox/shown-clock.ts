// Converts the row of a clock for the API.

import type { AppClock as ShownClock } from '@opentill/contract/clock-resources.ts';
import { clockRate } from '@opentill/contract/fields.ts';
import { appNow } from '../../domain/sandbox/app-clock.ts';
import type { AppClockRow } from '../../store/sandbox/app-clocks.ts';

export function shownClock(clock: AppClockRow | undefined, realNow: number): ShownClock {
  return {
    now: appNow(clock, realNow),
    mode: clock?.mode ?? 'running',
    rate: clock?.rate ?? clockRate.default,
    ...(clock !== undefined && clock.advanceTo !== null && { advanceTo: clock.advanceTo }),
  };
}
