// What a call in the sandbox needs to know of its app besides its purchases: its clock, the faults that its
// developer put, and when putToken ends its tokens. Read with each request, so that a change made
// through one server holds at once for all; in production nobody asks.

import { NewFault } from '@opentill/contract/faults.ts';
import { ClockMode } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import type { TokenCut } from '../../domain/tokens/access-token.ts';
import { coalesced } from '../connection/coalesced.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { nullable, statement } from '../connection/statement.ts';
import type { AppClockRow } from './app-clocks.ts';

export interface FaultRow {
  /** Its place in the list: the first that applies counts. */
  readonly position: number;
  /** The putFaults that it comes from. */
  readonly putId: string;
  readonly operation: string;
  readonly code: number | null;
  readonly httpStatus: number | null;
  readonly delayMs: number | null;
  readonly cut: 'before' | 'after' | null;
  readonly outcome: 'declined' | 'declined_final' | 'pending' | 'no_answer' | null;
  readonly times: number | null;
  readonly probability: number | null;
  readonly seed: number | null;
  /** Calls that came by and drew, and calls that it happened to. */
  readonly met: number;
  readonly applied: number;
}

export interface SandboxState {
  /** undefined: the app lives in real time. */
  readonly clock: AppClockRow | undefined;
  /** In the order of the list that was put. */
  readonly faults: readonly FaultRow[];
  readonly tokenCut: TokenCut | undefined;
}

const SandboxRow = Type.Object({
  packageName: Type.String(),
  mode: nullable(ClockMode),
  rate: nullable(Type.Number()),
  realTime: nullable(Type.Integer()),
  appTime: nullable(Type.Integer()),
  advanceTo: nullable(Type.Integer()),
  leaseHolder: nullable(Type.String()),
  leaseUntil: nullable(Type.Integer()),
  position: nullable(Type.Integer()),
  putId: nullable(Type.String()),
  operation: nullable(Type.String()),
  code: nullable(Type.Integer()),
  httpStatus: nullable(Type.Integer()),
  delayMs: nullable(Type.Integer()),
  cut: nullable(NewFault.properties.cut),
  outcome: nullable(NewFault.properties.outcome),
  times: nullable(Type.Integer()),
  probability: nullable(Type.Number()),
  seed: nullable(Type.Integer()),
  met: nullable(Type.Integer()),
  applied: nullable(Type.Integer()),
  cutIssuedAtSeconds: nullable(Type.Integer()),
  cutEndsAt: nullable(Type.Integer()),
});
type SandboxRow = Static<typeof SandboxRow>;

// Served by the primary keys. An app without clock, faults and cut tokens, the ordinary case, has no row; a clock and
// a cut are repeated for each fault.
const selectSandboxState = statement({
  name: 'select_sandbox_state',
  text: `select package_name as "packageName", c.mode, c.rate, c.real_time as "realTime", c.app_time as "appTime",
      c.advance_to as "advanceTo", c.lease_holder as "leaseHolder", c.lease_until as "leaseUntil",
      f.position, f.put_id as "putId", f.operation, f.code, f.http_status as "httpStatus",
      f.delay_ms as "delayMs", f.cut, f.outcome, f.times, f.probability, f.seed, f.met, f.applied,
      t.cut_issued_at_seconds as "cutIssuedAtSeconds", t.cut_ends_at as "cutEndsAt"
    from (select * from app_clock where package_name = any($1::text[])) as c
    full join (select * from fault where package_name = any($1::text[])) as f using (package_name)
    full join (select * from access_token where package_name = any($1::text[]) and cut_ends_at is not null) as t
      using (package_name)
    order by package_name, f.position`,
  row: SandboxRow,
});

const ordinary: SandboxState = { clock: undefined, faults: [], tokenCut: undefined };

/** Reads the state of one app, uncached, sharing a statement with the reads around it. */
export function sandboxStateReader(database: Database): (packageName: string) => Promise<SandboxState> {
  return coalesced({ batchMax: 100, inFlightMax: 2 }, async (packageNames: readonly string[]) => {
    const rows = await database.rows(selectSandboxState, [[...new Set(packageNames)]]);
    const ofApp = Map.groupBy(rows, ({ packageName }) => packageName);
    const states = new Map([...ofApp].map(([packageName, group]) => [packageName, stateOf(group)]));
    return packageNames.map((packageName) => states.get(packageName) ?? ordinary);
  });
}

/** Reads the state of one app alone: within a transaction, or where nothing else is asked. */
export async function readSandboxState(queryable: Queryable, packageName: string): Promise<SandboxState> {
  return stateOf(await queryable.rows(selectSandboxState, [[packageName]]));
}

function stateOf(rows: readonly SandboxRow[]): SandboxState {
  const [first] = rows;
  if (first === undefined) return ordinary;
  return {
    clock: clockOf(first),
    faults: rows.flatMap((row) => (row.position === null ? [] : [row as FaultRow])),
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
