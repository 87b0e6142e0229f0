// What falls due while a clock is moved: the renewals, charges and expiries of one app, each at its due time.

import { hasTimesLeft } from '../../../domain/sandbox/faults.ts';
import type { SandboxState } from '../../../store/sandbox/sandbox-state.ts';
import { listDueRenewalsOfApp } from '../../../store/subscriptions/due-renewals.ts';
import type { AdvanceParts } from '../../sandbox/advance-clock.ts';
import { renewDue } from './renew-due.ts';
import type { RenewalParts } from './renewal-batch.ts';

interface AdvanceRenewalParts {
  readonly renewals: RenewalParts;
  readonly readSandboxState: (packageName: string) => Promise<SandboxState>;
}

export function advanceRenewals(
  parts: AdvanceRenewalParts,
): Pick<AdvanceParts, 'listDue' | 'happen' | 'paysAtOnce'> {
  const { renewals, readSandboxState } = parts;
  return {
    // The whole app is leased: an attempt that a dead server left open is anybody's.
    listDue: (of) => listDueRenewalsOfApp(renewals.database, { ...of, unlessHeldAt: null }),
    happen({ moveClock, now, ...batch }) {
      return renewDue(renewals, {
        ...batch,
        // The lease keeps the clock; that it is still held is seen when the clock is moved.
        holdNow: async () => now,
        happensAt: 'dueTime',
        respectsLeases: false,
        alongside: moveClock,
      });
    },
    // The gateway of the sandbox approves each charge that no fault is put for.
    async paysAtOnce(packageName) {
      const { faults } = await readSandboxState(packageName);
      return faults.every((fault) => fault.operation !== 'charge' || !hasTimesLeft(fault, fault.applied));
    },
  };
}
