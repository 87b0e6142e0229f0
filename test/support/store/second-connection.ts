// A second connection to the database of a test, in a transaction, which simulates another server that pauses between two
// statements.

import { Client, type ClientConfig } from 'pg';
import { query } from '../query.ts';
import { isCluster } from '../test-databases.ts';
import { waitFor } from '../wait-for.ts';

export type SecondConnection = Awaited<ReturnType<typeof openSecondConnection>>;

/** The transaction is rolled back at the end of the scope unless it was committed. */
export async function openSecondConnection(connection: ClientConfig) {
  const client = new Client(connection);
  await client.connect();
  await client.query('begin');
  return {
    client,
    /** Runs a statement in the transaction. */
    async run(text: string, values: readonly unknown[] = []) {
      await client.query(text, [...values]);
    },
    async commit() {
      await client.query('commit');
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

// On a cluster, a statement waits on the node of its shard.
const waitingBackends = isCluster
  ? 'select from citus_lock_waits where blocking_gpid = citus_backend_gpid()'
  : `select from pg_stat_activity where datname = current_database()
      and pg_backend_pid() = any(pg_blocking_pids(pid))`;

/** Resolves when another connection waits for a lock of the transaction, or the call has ended without waiting. */
export async function waitedFor(second: SecondConnection, call: Promise<unknown>): Promise<void> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  call.then(end, end);
  const isWaitedFor = async () => {
    // Without this, the transaction sees the list of connections as of its first read.
    await second.client.query('select pg_stat_clear_snapshot()');
    return isOver || ((await second.client.query(waitingBackends)).rowCount ?? 0) > 0;
  };
  await waitFor(isWaitedFor, { what: 'a statement that waits for the locked rows' });
}

const waitingForLocks = isCluster
  ? 'select distinct waiting_gpid from citus_lock_waits'
  : `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** Resolves when `count` statements wait for a lock. */
export function waitingStatements(connection: ClientConfig, count: number): Promise<unknown> {
  const areWaiting = async () => (await query(connection, waitingForLocks)).length === count;
  return waitFor(areWaiting, { what: `${count} statements that wait for a lock` });
}
