// The clock, faults and token cut of a sandbox app, read for each request so that a change applies to all servers at once.

import type { TokenCut } from '../../domain/tokens/access-token.ts';
import { coalesced, ownName } from '../connection/coalesced.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { statement, unchecked } from '../statements/statement.ts';
import { type ValuesOf, valueList } from '../statements/table.ts';
import { fault } from '../tables/sandbox.ts';
import { type AppClockRow, appClockColumns } from './app-clocks.ts';

/** A fault of a list; the first one that matches a call is injected. `putId` identifies the putFaults call. */
export type FaultRow = ValuesOf<typeof fault>;

export interface SandboxState {
  /** undefined: the app uses real time. */
  readonly clock: AppClockRow | undefined;
  /** In the order of the list. */
  readonly faults: readonly FaultRow[];
  readonly tokenCut: TokenCut | undefined;
}

type Nullable<Row> = { readonly [Field in keyof Row]: Row[Field] | null };

interface SandboxRow extends Nullable<AppClockRow>, Nullable<FaultRow> {
  readonly packageName: string;
  readonly cutIssuedAtSeconds: number | null;
  readonly cutEndsAt: number | null;
}

// Served by the primary keys. An app without clock, faults and cut, which is the usual case, has no row; clock and cut
// are repeated for each fault.
const selectSandboxState = statement({
  name: 'select_sandbox_state',
  text: `select package_name as "packageName", ${appClockColumns}, ${valueList(fault, 'f')},
      t.cut_issued_at_seconds as "cutIssuedAtSeconds", t.cut_ends_at as "cutEndsAt"
    from (select * from app_clock where package_name = any($1::text[])) as c
    full join (select * from fault where package_name = any($1::text[])) as f using (package_name)
    full join (select * from access_token where package_name = any($1::text[]) and cut_ends_at is not null) as t
      using (package_name)
    order by package_name, f.position`,
  row: unchecked<SandboxRow>(),
});

const emptyState: SandboxState = { clock: undefined, faults: [], tokenCut: undefined };

/** Reads the state of one app, uncached, sharing a statement with concurrent reads. */
export function sandboxStateReader(database: Database): (packageName: string) => Promise<SandboxState> {
  const limits = { batchMax: 100, inFlightMax: 2, packageNameOf: ownName };
  return coalesced(database, limits, async (packageNames: readonly string[]) => {
    const rows = await database.rows(selectSandboxState, [[...new Set(packageNames)]]);
    const ofApp = Map.groupBy(rows, ({ packageName }) => packageName);
    const states = new Map([...ofApp].map(([packageName, group]) => [packageName, stateOf(group)]));
    return packageNames.map((packageName) => states.get(packageName) ?? emptyState);
  });
}

/** Reads the state of one app with a statement of its own. */
export async function readSandboxState(queryable: Queryable, packageName: string): Promise<SandboxState> {
  return stateOf(await queryable.rows(selectSandboxState, [[packageName]]));
}

function stateOf(rows: readonly SandboxRow[]): SandboxState {
  const [first] = rows;
  if (first === undefined) return emptyState;
  return {
    clock: clockOf(first),
    faults: rows.filter(({ position }) => position !== null) as unknown as FaultRow[],
    tokenCut: tokenCutOf(first),
  };
}

function clockOf({ mode, rate, realTime, appTime, ...rest }: SandboxRow): AppClockRow | undefined {
  if (mode === null || rate === null || realTime === null || appTime === null) return undefined;
  const { advanceTo, leaseHolder, leaseUntil } = rest;
  return { mode, rate, realTime, appTime, advanceTo, leaseHolder, leaseUntil };
}

function tokenCutOf({ cutIssuedAtSeconds, cutEndsAt }: SandboxRow): TokenCut | undefined {
  if (cutIssuedAtSeconds === null || cutEndsAt === null) return undefined;
  return { issuedAtSeconds: cutIssuedAtSeconds, endsAt: cutEndsAt };
}
