// Databases on a Citus cluster, for the tests of `npm run test:cluster`.

import { Client, type ClientConfig } from 'pg';
import { queryableOn } from '../../../packages/server/src/store/connection/session.ts';
import { distributeTables, findCluster } from '../../../packages/server/src/store/schema/cluster.ts';
import { migrate } from '../../../packages/server/src/store/schema/migrate.ts';
import { testTimeFunctionSql, testTimeSql } from '../test-clock.ts';

/** A few shards are enough to be on every node, and the fewer, the sooner they are created. */
const testShards = 4;

async function on<Result>(
  connection: ClientConfig,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Creates a database without tables on all nodes and joins them. */
export async function createClusterDatabase(
  nodes: readonly ClientConfig[],
  database: string,
): Promise<ClientConfig> {
  for (const node of nodes) {
    await on(node, (client) => client.query(`create database ${database}`));
    await on({ ...node, database }, (client) =>
      client.query(`create extension citus; set citus.enable_ddl_propagation = off; ${testTimeSql}`),
    );
  }
  const [first, ...others] = nodes;
  const connection = { ...first, database };
  await on(connection, async (client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', [first?.host, first?.port]);
    for (const { host, port } of others) await client.query('select citus_add_node($1, $2)', [host, port]);
  });
  return connection;
}

/** Creates the tables in a database of the coordinator, and distributes them. */
export async function distributeDatabase(connection: ClientConfig): Promise<void> {
  await migrate(connection);
  await on(connection, async (client) => {
    const queryable = queryableOn(client);
    const cluster = await findCluster(queryable);
    if (cluster === undefined) throw new Error('The database has no cluster.');
    await distributeTables(queryable, { ...cluster, shards: testShards });
    await client.query(testTimeFunctionSql);
  });
}

export async function dropClusterDatabase(nodes: readonly ClientConfig[], database: string): Promise<void> {
  for (const node of nodes) {
    await on(node, (client) => client.query(`drop database if exists ${database} with (force)`));
  }
}
