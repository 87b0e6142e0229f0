// The processes of the servers of the store: each writes what the others show of it. All rows have the package name ''.

import Type, { type Static } from 'typebox';
import { hourMs } from '../../domain/time.ts';
import { noApp } from '../audit/actions.ts';
import type { Queryable } from '../connection/database.ts';
import { NoRow, nullable, statement } from '../connection/statement.ts';

/** What a process reports of itself. Instants are real time, by its own clock. */
const ProcessState = Type.Object({
  version: Type.String(),
  /** The distance of its clock from that of the database, in ms, or less. */
  skewMs: Type.Number(),
  /** The last definite response of the payment gateway; null if it has sent none to this process. */
  gatewayClearAt: nullable(Type.Integer()),
  /** Calls with a wrong operator key within the last hour, and the first of them. */
  wrongKeys: Type.Integer(),
  wrongKeysSince: nullable(Type.Integer()),
});

const ServerProcess = Type.Object({
  processId: Type.String(),
  startedAt: Type.Integer(),
  seenAt: Type.Integer(),
  state: ProcessState,
});
export type ServerProcess = Static<typeof ServerProcess>;

/** Rows of processes that have ended are kept for this long, in ms. */
const keptMs = hourMs;

// Served by the primary key.
const upsertProcess = statement({
  name: 'upsert_server_process',
  text: `insert into server_process (package_name, process_id, started_at, seen_at, state) values ($1, $2, $3, $4, $5)
    on conflict (package_name, process_id) do update set seen_at = excluded.seen_at, state = excluded.state`,
  row: NoRow,
});

// Scans server_process, which has a row for each process of the last hour.
const deleteEnded = statement({
  name: 'delete_ended_server_processes',
  text: 'delete from server_process where package_name = $1 and seen_at < $2',
  row: NoRow,
});

// Scans server_process, which has a row for each process of the last hour.
const selectProcesses = statement({
  name: 'select_server_processes',
  text: `select process_id as "processId", started_at as "startedAt", seen_at as "seenAt", state from server_process
    where package_name = $1 order by started_at, process_id`,
  row: ServerProcess,
});

/** Writes the row of this process, and deletes those of processes that ended long ago. */
export async function reportProcess(
  queryable: Queryable,
  { processId, startedAt, seenAt, state }: ServerProcess,
): Promise<void> {
  await queryable.rows(upsertProcess, [noApp, processId, startedAt, seenAt, JSON.stringify(state)]);
  await queryable.rows(deleteEnded, [noApp, seenAt - keptMs]);
}

/** Those that started first come first; some may have ended within the last hour. */
export function listProcesses(queryable: Queryable): Promise<ServerProcess[]> {
  return queryable.rows(selectProcesses, [noApp]);
}
