// Replaces the faults that are injected into the calls of an app.

import type { ProblemEntry } from '@opentill/contract/errors.ts';
import type { NewFault } from '@opentill/contract/faults.ts';
import { putFaults as operation } from '@opentill/contract/operator-api/putFaults.ts';
import { faultProblems } from '../../domain/sandbox/faults.ts';
import { findApp } from '../../store/apps/apps.ts';
import { replaceFaults } from '../../store/sandbox/faults.ts';
import { readSandboxState } from '../../store/sandbox/sandbox-state.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchApp, Refusal } from '../refusal.ts';
import { faultsResponse } from './responses.ts';

export function putFaults({ database }: Store): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName }, body: faults, author, recordAction }) => {
    const refusal = refusalOf(faults);
    if (refusal !== undefined) return refusal;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    const list = { packageName, putId: author.requestId, faults };
    const stored = await database.transaction({ packageName }, async (transaction) => {
      await replaceFaults(transaction, list);
      const state = await readSandboxState(transaction, packageName);
      await recordAction(transaction, packageName, { faults: faults.length });
      return state;
    });
    return responded(200, faultsResponse(stored.faults));
  });
}

function refusalOf(faults: readonly NewFault[]): Refusal<'invalidRequest'> | undefined {
  const errors: ProblemEntry[] = faults.flatMap((fault, index) =>
    faultProblems(fault).map(({ field, message }) => ({ path: `/${index}/${field}`, message })),
  );
  if (errors.length === 0) return undefined;
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return new Refusal('invalidRequest', `${detail}.`, errors);
}
