// A second connection to the database of a test, within a transaction: it stands for another server that stops
// between two of its statements.

import { Client, type ClientConfig } from 'pg';
import { query } from '../embedded/scratch.ts';
import { waitFor } from '../wait-for.ts';

export interface SecondConnection extends AsyncDisposable {
  readonly client: Client;
  /** Runs a statement within the transaction. */
  run(text: string, values?: readonly unknown[]): Promise<void>;
  commit(): Promise<void>;
}

/** The transaction is rolled back at the end of the scope, unless it was committed. */
export async function openSecondConnection(connection: ClientConfig): Promise<SecondConnection> {
  const client = new Client(connection);
  await client.connect();
  await client.query('begin');
  return {
    client,
    async run(text, values = []) {
      await client.query(text, [...values]);
    },
    async commit() {
      await client.query('commit');
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

const waitingBackends = `select from pg_stat_activity where datname = current_database()
  and $1::integer = any(pg_blocking_pids(pid))`;

/** Resolves once somebody waits for what the transaction holds, or the call has ended without waiting. */
export async function waitedFor(second: SecondConnection, call: Promise<unknown>): Promise<void> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  call.then(end, end);
  const { processID } = second.client as unknown as { readonly processID: number };
  const isWaitedFor = async () => {
    // Within a transaction, the list of connections is else as it was when it was first read.
    await second.client.query('select pg_stat_clear_snapshot()');
    return isOver || ((await second.client.query(waitingBackends, [processID])).rowCount ?? 0) > 0;
  };
  await waitFor(isWaitedFor, { deadlineMs: 10_000, what: 'somebody who waits for the held rows' });
}

const waitingForLocks = `select from pg_stat_activity where datname = current_database()
  and wait_event_type = 'Lock'`;

/** Resolves once so many statements wait for a lock, before the first of them gives up waiting. */
export function waitingStatements(connection: ClientConfig, count: number): Promise<unknown> {
  const areWaiting = async () => (await query(connection, waitingForLocks)).length === count;
  return waitFor(areWaiting, { deadlineMs: 900, what: `${count} that wait` });
}
