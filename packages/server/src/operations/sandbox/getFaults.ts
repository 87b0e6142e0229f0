// Lists the faults of an app with the number of calls that each was injected into.

import { getFaults as operation } from '@opentill/contract/operator-api/getFaults.ts';
import { findApp } from '../../store/apps/apps.ts';
import { readSandboxState } from '../../store/sandbox/sandbox-state.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchApp } from '../refusal.ts';
import { faultsResponse } from './responses.ts';

export function getFaults({ database }: Store): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName } }) => {
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    const { faults } = await readSandboxState(database, packageName);
    return responded(200, faultsResponse(faults));
  });
}
