// Lists the faults of an app with the number of calls that each was injected into.

import { Fault, type Faults } from '@opentill/contract/faults.ts';
import { getFaults as operation } from '@opentill/contract/operator-api/getFaults.ts';
import { findApp } from '../../store/apps/apps.ts';
import { type FaultRow, readSandboxState } from '../../store/sandbox/sandbox-state.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchApp } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { shown } from '../shown.ts';

export function getFaults({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName } }) => {
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    const { faults } = await readSandboxState(database, packageName);
    return answered(200, faultsResponse(faults));
  });
}

export function faultsResponse(rows: readonly FaultRow[]): Faults {
  return { faults: rows.map((row) => shown(Fault, row)) };
}
