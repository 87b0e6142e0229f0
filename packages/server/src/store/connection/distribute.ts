// Distributes the tables of a store over a Citus cluster (docs/decisions/cluster.md). Each table is moved with its rows in
// a transaction of its own, so that an interrupted distribution continues with the next table.

import Type from 'typebox';
import { StartProblem } from '../../runtime/start-problem.ts';
import { type Cluster, leadingTable, referenceTables } from './cluster.ts';
import { NoRow, type Queryable, statement } from './statement.ts';

// Copies all rows of the table.
const createReferenceTable = statement({
  name: 'create_reference_table',
  text: 'select from create_reference_table($1::text::regclass)',
  row: NoRow,
});
const distributeLeadingTable = statement({
  name: 'distribute_leading_table',
  text: `select from create_distributed_table('${leadingTable}', 'package_name', colocate_with => 'none',
    shard_count => $1)`,
  row: NoRow,
});
const distributeTable = statement({
  name: 'distribute_table',
  text: `select from create_distributed_table($1::text::regclass, 'package_name', colocate_with => '${leadingTable}')`,
  row: NoRow,
});

// The rows that a table had before it was distributed remain on the coordinator, where no statement reads them.
const removeLocalRows = statement({
  name: 'remove_local_rows',
  text: 'select from truncate_local_data_after_distributing_table($1::text::regclass)',
  row: NoRow,
});

// Reads the connections of all nodes to this database, without those between the nodes.
const countConnections = statement({
  name: 'count_cluster_connections',
  text: `select count(*)::integer as count from citus_stat_activity
    where datname = current_database() and backend_type = 'client backend' and not is_worker_query
      and application_name not like 'citus%' and global_pid <> citus_backend_gpid()`,
  row: Type.Object({ count: Type.Integer() }),
});

/** Distributes the tables that are only on the coordinator, each over `shards`. The caller has locked the schema. */
export async function distributeTables(
  queryable: Queryable,
  { distributed, undistributed, shards }: Pick<Cluster, 'distributed' | 'undistributed' | 'shards'>,
): Promise<void> {
  const isReference = (name: string) => (referenceTables as readonly string[]).includes(name);
  if (undistributed.includes(leadingTable)) await queryable.rows(distributeLeadingTable, [shards]);
  for (const name of undistributed.filter((table) => table !== leadingTable)) {
    await queryable.rows(isReference(name) ? createReferenceTable : distributeTable, [name]);
  }
  for (const name of [...distributed, ...undistributed]) await queryable.rows(removeLocalRows, [name]);
  for (const [name, types] of Object.entries(functions)) {
    await queryable.rows(distributeFunction, [`${name}(${types})`]);
  }
}

/** Citus runs a call of these functions on the node of the app in their first argument. */
const functions = {
  consume_purchases_v1: 'text, text[], bigint[], text[], text[], text, boolean',
  record_purchases_v1:
    'text, text[], text[], text[], text[], bigint[], text[], bigint[], bigint[], text[], text[], text[], text',
};

// Changes the catalogs of all nodes; repeating it changes nothing. A later migration may create the function.
const distributeFunction = statement({
  name: 'distribute_function',
  text: `select from pg_catalog.pg_proc p
    cross join lateral create_distributed_function(p.oid::regprocedure, 'p_package_name', '${leadingTable}')
    where p.oid = to_regprocedure($1::text)`,
  row: NoRow,
});

/**
 * Refuses while something else is connected to the database on any node: a server reads only once, when it starts,
 * whether the tables are distributed.
 * @throws StartProblem
 */
export async function requireNoConnections(queryable: Queryable): Promise<void> {
  const count = (await queryable.rows(countConnections, []))[0]?.count ?? 0;
  if (count === 0) return;
  throw new StartProblem(
    `Expected no other connection to this database, got ${count}: stop all servers and commands first.`,
  );
}
