// The faults of each app: the list that was put, and how often each has applied, counted in the database so
// that all servers together keep to it.

import { type ChargeOutcome, faultsOf, hasTimesLeft, isMet } from '../../domain/sandbox/faults.ts';
import { lockApp } from '../apps/apps.ts';
import { coalesced } from '../connection/coalesced.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { NoRow, statement, unchecked } from '../connection/statement.ts';
import { fault } from '../tables/sandbox.ts';
import {
  arrayParameters,
  columnArrays,
  columnNames,
  type ValuesOf,
  withoutColumns,
} from '../tables/table.ts';
import type { FaultRow, SandboxState } from './sandbox-state.ts';

// Served by the primary key, and locked in its order, as calls that count lock.
const deleteFaults = statement({
  name: 'delete_faults',
  text: `delete from fault where package_name = $1 and position = any(array(
    select position from fault where package_name = $1 order by position for update))`,
  row: NoRow,
});

/** A fault that has not applied to a call. */
const draft = withoutColumns(fault, 'position', 'putId', 'met', 'applied');
export type FaultDraft = ValuesOf<typeof draft>;

const draftNames = columnNames(draft);

const insertFaults = statement({
  name: 'insert_faults',
  text: `insert into fault (package_name, put_id, position, ${draftNames})
    select $1, $2, f.position - 1, ${draftNames}
    from unnest(${arrayParameters(draft, 3)}) with ordinality as f (${draftNames}, position)`,
  row: NoRow,
});

/** Removes the faults of an app; those of a list that is put at this moment stay. */
export async function removeFaults(transaction: Queryable, packageName: string): Promise<void> {
  await transaction.rows(deleteFaults, [packageName]);
}

/**
 * Puts a list of faults in place of the one before; run it in a transaction. Of two lists that are put at once the
 * later one stands. `putId` names this list.
 */
export async function replaceFaults(
  transaction: Queryable,
  list: { packageName: string; putId: string; faults: readonly FaultDraft[] },
): Promise<void> {
  const { packageName, putId, faults } = list;
  // Rows that somebody else is about to insert cannot be waited for: they are not there to be removed.
  await lockApp(transaction, packageName);
  await removeFaults(transaction, packageName);
  if (faults.length === 0) return;
  await transaction.rows(insertFaults, [packageName, putId, ...columnArrays(draft, faults)]);
}

interface Counted extends Pick<FaultRow, 'position' | 'putId'> {
  readonly packageName: string;
  readonly metBefore: number;
  readonly appliedBefore: number;
}

// Served by the primary key, and locked in its order. A list that was replaced meanwhile gives no row.
const countFaults = statement({
  name: 'count_faults',
  text: `with request as (
      select * from unnest($1::text[], $2::integer[], $3::text[], $4::bigint[], $5::bigint[])
        as r (package_name, position, put_id, met, applied)
    ), held as (
      select f.package_name, f.position, f.put_id, f.met, f.applied
      from request r
      join fault f on f.package_name = r.package_name and f.position = r.position and f.put_id = r.put_id
      where f.package_name = any($6::text[])
      order by f.package_name, f.position
      for no key update of f
    ), counted as (
      update fault f set met = f.met + r.met,
        applied = least(f.applied + r.applied, coalesce(f.times, f.applied + r.applied))
      from held h join request r using (package_name, position, put_id)
      where f.package_name = h.package_name and f.position = h.position and f.package_name = any($6::text[])
    )
    select package_name as "packageName", position, put_id as "putId", met as "metBefore",
      applied as "appliedBefore"
    from held`,
  row: unchecked<Counted>(),
});

interface Count {
  readonly packageName: string;
  readonly fault: FaultRow;
  /** What this call adds: each 0 or 1. */
  readonly met: number;
  readonly applied: number;
}

/** What was counted before this call; undefined when the list has been replaced. */
type CountedBefore = Pick<Counted, 'metBefore' | 'appliedBefore'> | undefined;

/** Finds the fault that a call meets, and counts it; undefined for none. Without faults it asks nothing. */
export type FaultTaker = (
  packageName: string,
  faults: readonly FaultRow[],
  operation: string,
) => Promise<FaultRow | undefined>;

export function faultTaker(database: Database): FaultTaker {
  // One statement at a time: calls that meet the same fault do not wait for each other's row lock. A cluster locks rows
  // of a single app with a statement.
  const limits = { batchMax: database.isDistributed ? 1 : 100, inFlightMax: 1 };
  const count = coalesced(limits, (counts: readonly Count[]) => countTogether(database, counts));
  const applies = async (packageName: string, fault: FaultRow): Promise<boolean> => {
    if (fault.probability === null) {
      const before = await count({ packageName, fault, met: 1, applied: 1 });
      return before !== undefined && hasTimesLeft(fault, before.appliedBefore);
    }
    const draw = await count({ packageName, fault, met: 1, applied: 0 });
    if (draw === undefined || !isMet(fault, draw.metBefore)) return false;
    const before = await count({ packageName, fault, met: 0, applied: 1 });
    return before !== undefined && hasTimesLeft(fault, before.appliedBefore);
  };
  return async (packageName, faults, operation) => {
    for (const fault of faultsOf(faults, operation)) {
      if (await applies(packageName, fault)) return fault;
    }
    return undefined;
  };
}

/** Takes what the faults of an app say of its next charge; undefined: nothing. For the sandbox only. */
export function chargeFaultTaker(
  readState: (packageName: string) => Promise<SandboxState>,
  takeFault: FaultTaker,
): (packageName: string) => Promise<ChargeOutcome | undefined> {
  return async (packageName) => {
    const { faults } = await readState(packageName);
    const fault = await takeFault(packageName, faults, 'charge');
    return fault?.outcome ?? undefined;
  };
}

async function countTogether(database: Database, counts: readonly Count[]): Promise<CountedBefore[]> {
  const ofFault = Map.groupBy(counts, keyOf);
  const groups = [...ofFault.values()].map((group) => ({
    first: group[0] as Count,
    met: sumOf(group.map(({ met }) => met)),
    applied: sumOf(group.map(({ applied }) => applied)),
  }));
  const packageNames = groups.map(({ first }) => first.packageName);
  const rows = await database.rows(countFaults, [
    packageNames,
    groups.map(({ first }) => first.fault.position),
    groups.map(({ first }) => first.fault.putId),
    groups.map(({ met }) => met),
    groups.map(({ applied }) => applied),
    [...new Set(packageNames)],
  ]);
  const next = new Map(rows.map((row) => [keyOf({ ...row, fault: row }), { ...row }]));
  // Each call of a group counts after those before it.
  return counts.map((count) => {
    const counted = next.get(keyOf(count));
    if (counted === undefined) return undefined;
    const before = { metBefore: counted.metBefore, appliedBefore: counted.appliedBefore };
    counted.metBefore += count.met;
    counted.appliedBefore += count.applied;
    return before;
  });
}

function keyOf(place: {
  readonly packageName: string;
  readonly fault: Pick<FaultRow, 'position' | 'putId'>;
}): string {
  return `${place.packageName} ${place.fault.position} ${place.fault.putId}`;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
