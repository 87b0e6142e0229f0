// Converts the row of a clock for the API.

import type { AppClock as ClockResponse } from '@opentill/contract/clock-resources.ts';
import { clockRate } from '@opentill/contract/fields.ts';
import { appNow } from '../../domain/sandbox/app-clock.ts';
import type { AppClockRow } from '../../store/sandbox/app-clocks.ts';

export function clockResponse(clock: AppClockRow | undefined, realNow: number): ClockResponse {
  return {
    now: appNow(clock, realNow),
    mode: clock?.mode ?? 'running',
    rate: clock?.rate ?? clockRate.default,
    ...(clock !== undefined && clock.advanceTo !== null && { advanceTo: clock.advanceTo }),
  };
}
