// What falls due while a clock is moved: the renewals, charges and expiries of one app, each at its due time.

import type { AdvanceParts } from '../../operations/advance-clock.ts';
import { listDueRenewalsOfApp } from '../../store/due-renewals.ts';
import type { SandboxState } from '../../store/sandbox-state.ts';
import { renewDue } from './renew-due.ts';
import type { RenewalParts } from './renewal-batch.ts';

export interface AdvanceRenewalParts {
  readonly renewals: RenewalParts;
  readonly readSandboxState: (packageName: string) => Promise<SandboxState>;
  /** Whether the gateway approves each charge that no fault is put for. */
  readonly isSimulated: boolean;
}

export function advanceRenewals(
  parts: AdvanceRenewalParts,
): Pick<AdvanceParts, 'listDue' | 'happen' | 'paysAtOnce'> {
  const { renewals, readSandboxState, isSimulated } = parts;
  return {
    // The whole app is leased: an attempt that a dead server left open is anybody's.
    listDue: (of) => listDueRenewalsOfApp(renewals.database, { ...of, unlessHeldAt: null }),
    async happen({ moveClock, ...batch }) {
      const settings = { happensAt: 'dueTime', respectsLeases: false, alongside: moveClock } as const;
      const { settled, open } = await renewDue(renewals, { ...batch, ...settings });
      return settled + open;
    },
    async paysAtOnce(packageName) {
      if (!isSimulated) return false;
      const { faults } = await readSandboxState(packageName);
      return faults.every(({ operation }) => operation !== 'charge');
    },
  };
}
