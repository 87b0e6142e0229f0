// The faults of each app, and how often each was applied, counted in the database so that all servers share the limits.

import type { NewFault } from '@opentill/contract/faults.ts';
import Type from 'typebox';
import { faultsOf } from '../../domain/sandbox/faults.ts';
import { lockApp } from '../apps/apps.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../statements/statement.ts';
import { arrayParameters, columnArrays, columnNames, withoutColumns } from '../statements/table.ts';
import { fault } from '../tables/sandbox.ts';
import type { FaultRow, SandboxState } from './sandbox-state.ts';

// Served by the primary key. It waits for calls that count a fault, which lock a single row each.
const deleteFaults = statement({
  name: 'delete_faults',
  text: 'delete from fault where package_name = $1',
  row: NoRow,
});

const newFault = withoutColumns(fault, 'position', 'putId', 'applied');
const newNames = columnNames(newFault);

// Checked by the primary key.
const insertFaults = statement({
  name: 'insert_faults',
  text: `insert into fault (package_name, put_id, position, ${newNames})
    select $1, $2, f.position - 1, ${newNames}
    from unnest(${arrayParameters(newFault, 3)}) with ordinality as f (${newNames}, position)`,
  row: NoRow,
});

/** Removes the faults of an app, except those of a list that is being stored concurrently. */
export async function removeFaults(transaction: Queryable, packageName: string): Promise<void> {
  await transaction.rows(deleteFaults, [packageName]);
}

/**
 * Replaces the list of faults; of two concurrent calls, the later one wins. `putId` identifies the list.
 */
export async function replaceFaults(
  transaction: Queryable,
  list: { packageName: string; putId: string; faults: readonly NewFault[] },
): Promise<void> {
  const { packageName, putId, faults } = list;
  // Without this lock, the rows of a concurrent list could be inserted after the removal.
  await lockApp(transaction, packageName);
  await removeFaults(transaction, packageName);
  if (faults.length === 0) return;
  await transaction.rows(insertFaults, [packageName, putId, ...columnArrays(newFault, faults)]);
}

// One row for a fault that applies, none for one that is used up or whose list was replaced. Served by the primary key.
const applyFault = statement({
  name: 'apply_fault',
  text: `update fault set times_applied = times_applied + 1
    where package_name = $1 and position = $2 and put_id = $3 and (times is null or times_applied < times)
    returning position`,
  row: Type.Object({ position: Type.Integer() }),
});

/** Finds the fault to inject into a call and counts it; undefined for none. It makes no query if there are no faults. */
export type FaultMatcher = (
  packageName: string,
  faults: readonly FaultRow[],
  operation: string,
) => Promise<FaultRow | undefined>;

export function faultMatcher(database: Database): FaultMatcher {
  return async (packageName, faults, operation) => {
    for (const fault of faultsOf(faults, operation)) {
      const values = [packageName, fault.position, fault.putId];
      // Calls that count the same fault wait for each other, and leave the other connections to other work.
      const applied = await database.enqueue({ packageName }, () => database.rows(applyFault, values));
      if (applied.length > 0) return fault;
    }
    return undefined;
  };
}

interface ChargedSubscription {
  readonly packageName: string;
  readonly firstPurchaseId: string;
}

/** Finds the outcome that a fault injects into a charge of a subscription; undefined for none. Sandbox only. */
export function chargeFaultMatcher(
  readState: (packageName: string) => Promise<SandboxState>,
  matchFault: FaultMatcher,
): (subscription: ChargedSubscription) => Promise<NewFault['outcome']> {
  return async ({ packageName, firstPurchaseId }) => {
    const { faults } = await readState(packageName);
    const ofSubscription = faults.filter((fault) => [null, firstPurchaseId].includes(fault.firstPurchaseId));
    const fault = await matchFault(packageName, ofSubscription, 'charge');
    return fault?.outcome ?? undefined;
  };
}
