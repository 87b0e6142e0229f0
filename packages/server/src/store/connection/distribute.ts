// Distributes the tables of a store over a Citus cluster (docs/decisions/scaling.md). Each table is moved with its rows in
// a transaction of its own, so that an interrupted distribution continues with the next table.

import Type from 'typebox';
import { StartProblem } from '../../runtime/start-problem.ts';
import { type Cluster, leadingTable, referenceTables } from './cluster.ts';
import { NoRow, type Queryable, statement } from './statement.ts';
import { storeSchemaSql } from './store-schema.ts';

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
  await queryable.rows(distributeFunctions, []);
}

// Each node has all functions of the baseline. Citus runs a call of one with an app as its first argument on the node of the
// app, on a connection without the settings of a server's, where a plan for any app would visit all shards. Repeating it
// changes nothing.
const distributeFunctions = statement({
  name: 'distribute_functions',
  text: `do $$
    declare
      v_function regprocedure;
    begin
      for v_function in select oid from pg_catalog.pg_proc
        where pronamespace = to_regnamespace(quote_ident(${storeSchemaSql}))
          and (proname = 'database_time' or proname ~ '_v[0-9]+$') and proargnames[1] is distinct from 'p_package_name'
      loop
        perform create_distributed_function(v_function);
      end loop;
      for v_function in select oid from pg_catalog.pg_proc
        where pronamespace = to_regnamespace(quote_ident(${storeSchemaSql})) and proargnames[1] = 'p_package_name'
      loop
        execute format('alter function %s set plan_cache_mode = force_custom_plan', v_function);
        perform create_distributed_function(v_function, 'p_package_name', '${leadingTable}');
      end loop;
    end $$`,
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
