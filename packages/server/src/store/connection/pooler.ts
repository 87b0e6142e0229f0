// Finds out whether a pooler in front of PostgreSQL gives each transaction another connection, which would lose the
// settings, the locks and the prepared statements of a session.

import type { Client } from 'pg';
import { limitTime } from '../../runtime/pause.ts';
import { StartProblem } from '../../runtime/start-problem.ts';

/** A pooler whose connections are all in use lets a client wait for minutes. */
const secondWithinMs = 5_000;

/** Clients of others may take a connection at the moment at which it would show. */
const rounds = 3;

/**
 * Runs on a connection that nothing was set on, because a shared one would keep it for others; `connect` opens a second one.
 * @throws StartProblem if connections are shared
 */
export async function requireOwnBackend(client: Client, connect: () => Promise<Client>): Promise<void> {
  // A pooler cannot pass on the number by which PostgreSQL cancels a statement. The types of the driver lack it.
  const { processID } = client as Client & { readonly processID?: number | null };
  if (processID === (await backendOf(client))) return;
  const second = await connect();
  try {
    for (let round = 0; round < rounds; round += 1) {
      if (await areShared(client, second)) throw sharedConnections();
    }
  } finally {
    await second.end();
  }
}

/** Whether a transaction of `second` changes the connection that serves `client`: the newest free one, or the oldest. */
async function areShared(client: Client, second: Client): Promise<boolean> {
  // A pooler that shares connections by statement rejects transactions.
  await client.query('begin').catch((error) => Promise.reject(sharedConnections(error)));
  const own = await backendOf(client);
  const liftLimit = limitTime(secondWithinMs, () => void second.end());
  await second
    .query('begin')
    .catch((error) => Promise.reject(noSecondConnection(error)))
    .finally(liftLimit);
  await client.query('commit');
  await second.query('commit');
  return (await backendOf(client)) !== own || (await backendOf(client)) !== own;
}

async function backendOf(client: Client): Promise<number> {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  return rows[0].pid;
}

function sharedConnections(cause?: unknown): StartProblem {
  const message =
    'The pooler in front of the database shares its connections among sessions: set it to session pooling, or use the address of PostgreSQL.';
  return new StartProblem(message, { cause });
}

function noSecondConnection(cause: unknown): StartProblem {
  const message =
    'The pooler in front of the database has no second connection for this server, which needs OPENTILL_POOL_SIZE and a few more.';
  return new StartProblem(message, { cause });
}
