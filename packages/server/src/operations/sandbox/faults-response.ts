// Converts the rows of faults for the API.

import { Fault, type Faults } from '@opentill/contract/faults.ts';
import type { FaultRow } from '../../store/sandbox/sandbox-state.ts';
import { shown } from '../shown.ts';

export function faultsResponse(rows: readonly FaultRow[]): Faults {
  return { faults: rows.map((row) => shown(Fault, row)) };
}
