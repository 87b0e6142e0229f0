// The faults of each app, and how often each was injected, counted in the database so that all servers share the limits.

import {
  appliesToSubscription,
  type ChargeOutcome,
  faultsOf,
  hasTimesLeft,
  isDrawn,
} from '../../domain/sandbox/faults.ts';
import { lockApp } from '../apps/apps.ts';
import { coalesced } from '../connection/coalesced.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { NoRow, statement, unchecked } from '../connection/statement.ts';
import { fault } from '../tables/sandbox.ts';
import { arrayParameters, columnArrays, columnNames, pick, type ValuesOf } from '../tables/table.ts';
import type { FaultRow, SandboxState } from './sandbox-state.ts';

// Served by the primary key. Rows are locked in its order, like those of calls that count.
const deleteFaults = statement({
  name: 'delete_faults',
  text: `delete from fault where package_name = $1 and position = any(array(
    select position from fault where package_name = $1 order by position for update))`,
  row: NoRow,
});

/** A new fault. */
const draft = pick(
  fault,
  'operation',
  'code',
  'httpStatus',
  'delayMs',
  'cut',
  'outcome',
  'firstPurchaseId',
  'times',
  'probability',
  'seed',
);
export type FaultDraft = ValuesOf<typeof draft>;

const draftNames = columnNames(draft);

// Checked by the primary key.
const insertFaults = statement({
  name: 'insert_faults',
  text: `insert into fault (package_name, put_id, position, ${draftNames})
    select $1, $2, f.position - 1, ${draftNames}
    from unnest(${arrayParameters(draft, 3)}) with ordinality as f (${draftNames}, position)`,
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
  list: { packageName: string; putId: string; faults: readonly FaultDraft[] },
): Promise<void> {
  const { packageName, putId, faults } = list;
  // Without this lock, the rows of a concurrent list could be inserted after the removal.
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

// Served by the primary key. Rows are locked in its order. A list that was replaced in the meantime has no row.
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
  /** What this call adds to each counter: 0 or 1. */
  readonly met: number;
  readonly applied: number;
}

/** The counters before this call; undefined if the list has been replaced. */
type CountedBefore = Pick<Counted, 'metBefore' | 'appliedBefore'> | undefined;

/** Finds the fault to inject into a call and counts it; undefined for none. It makes no query if there are no faults. */
export type FaultMatcher = (
  packageName: string,
  faults: readonly FaultRow[],
  operation: string,
) => Promise<FaultRow | undefined>;

export function faultMatcher(database: Database): FaultMatcher {
  // One statement at a time, so that calls with the same fault do not wait for each other's row lock.
  const packageNameOf = ({ packageName }: Count) => packageName;
  const limits = { batchMax: 100, inFlightMax: 1, packageNameOf };
  const count = coalesced(database, limits, (counts: readonly Count[]) => countTogether(database, counts));
  const applies = async (packageName: string, fault: FaultRow): Promise<boolean> => {
    if (fault.probability === null) {
      const before = await count({ packageName, fault, met: 1, applied: 1 });
      return before !== undefined && hasTimesLeft(fault, before.appliedBefore);
    }
    const draw = await count({ packageName, fault, met: 1, applied: 0 });
    if (draw === undefined || !isDrawn(fault, draw.metBefore)) return false;
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

interface ChargedSubscription {
  readonly packageName: string;
  readonly firstPurchaseId: string;
}

/** Finds the outcome that a fault injects into a charge of a subscription; undefined for none. Sandbox only. */
export function chargeFaultMatcher(
  readState: (packageName: string) => Promise<SandboxState>,
  matchFault: FaultMatcher,
): (subscription: ChargedSubscription) => Promise<ChargeOutcome | undefined> {
  return async ({ packageName, firstPurchaseId }) => {
    const { faults } = await readState(packageName);
    const ofSubscription = faults.filter((fault) => appliesToSubscription(fault, firstPurchaseId));
    const fault = await matchFault(packageName, ofSubscription, 'charge');
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
  // The calls of a group count one after another.
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
