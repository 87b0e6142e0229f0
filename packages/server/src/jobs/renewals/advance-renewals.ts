// What falls due while a clock is moved: the renewals, charges and expiries of one app, each at its due time.

import { hasTimesLeft } from '../../domain/faults.ts';
import type { AdvanceParts } from '../../operations/advance-clock.ts';
import { listDueRenewalsOfApp } from '../../store/due-renewals.ts';
import type { SandboxState } from '../../store/sandbox-state.ts';
import { renewDue } from './renew-due.ts';
import type { RenewalParts } from './renewal-batch.ts';

export interface AdvanceRenewalParts {
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
    async happen({ moveClock, ...batch }) {
      const settings = { happensAt: 'dueTime', respectsLeases: false, alongside: moveClock } as const;
      const { settled, open } = await renewDue(renewals, { ...batch, ...settings });
      return settled + open;
    },
    // The gateway of the sandbox approves each charge that no fault is put for.
    async paysAtOnce(packageName) {
      const { faults } = await readSandboxState(packageName);
      return faults.every((fault) => fault.operation !== 'charge' || !hasTimesLeft(fault, fault.applied));
    },
  };
}
