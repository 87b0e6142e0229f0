// Converts the rows of a clock and of faults for the API.

import { AppClock } from '@opentill/contract/clock-resources.ts';
import { Fault, type Faults } from '@opentill/contract/faults.ts';
import { clockRate } from '@opentill/contract/fields.ts';
import { appNow } from '../../domain/sandbox/app-clock.ts';
import type { AppClockRow } from '../../store/sandbox/app-clocks.ts';
import type { FaultRow } from '../../store/sandbox/sandbox-state.ts';
import { shown } from '../shown.ts';

export function clockResponse(clock: AppClockRow | undefined, realNow: number): AppClock {
  return shown(AppClock, {
    now: appNow(clock, realNow),
    mode: clock?.mode ?? 'running',
    rate: clock?.rate ?? clockRate.default,
    advanceTo: clock?.advanceTo,
  });
}

export function faultsResponse(rows: readonly FaultRow[]): Faults {
  return { faults: rows.map((row) => shown(Fault, row)) };
}
