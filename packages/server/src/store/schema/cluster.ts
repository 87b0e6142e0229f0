// The Citus cluster that a database belongs to, if any, and how its tables are distributed (docs/decisions/scaling.md).
// Each table is moved with its rows in a transaction of its own, so that an interrupted distribution continues with the
// next table.

import Type from 'typebox';
import { StartProblem } from '../../runtime/start-problem.ts';
import { NoRow, type Queryable, statement } from '../statements/statement.ts';
import { migrationsTable, storeSchemaSql } from './store-schema.ts';

/** Tables that every node has a copy of; all others are distributed by their package name. */
const referenceTables = ['app', 'installation', migrationsTable] as const;

/** The table whose shards those of all others are next to. */
const leadingTable = 'purchase';

export interface Cluster {
  /** Only the coordinator can change the schema. */
  readonly isCoordinator: boolean;
  /** Each as host:port. */
  readonly nodes: readonly string[];
  /** The shards of each table; 0 before the tables were distributed. */
  readonly shards: number;
  /** Tables of the store that are distributed or on every node, and those that are only on the coordinator. */
  readonly distributed: readonly string[];
  readonly undistributed: readonly string[];
}

// Served by an index of the catalog.
const isClusterThere = statement({
  name: 'is_cluster_there',
  text: `select exists (select from pg_catalog.pg_extension where extname = 'citus') as "isThere"`,
  row: Type.Object({ isThere: Type.Boolean() }),
});

const references = referenceTables.map((name) => `'${name}'`).join(', ');

/** SQL for the names of the tables of the store: those with a package name, and the reference tables. */
const tablesSql = (condition: string) => `array(select c.relname::text from pg_catalog.pg_class c
    where c.relnamespace = to_regnamespace(quote_ident(${storeSchemaSql})) and c.relkind = 'r'
      and (c.relname in (${references}) or exists (select from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attname = 'package_name' and not a.attisdropped))
      and ${condition} (select from pg_dist_partition d where d.logicalrelid = c.oid)
    order by c.relname)`;

// Reads catalogs, with a row for each node, shard and table.
const selectCluster = statement({
  name: 'select_cluster',
  text: `select (select groupid = 0 from pg_dist_local_group) as "isCoordinator",
    array(select nodename || ':' || nodeport from pg_dist_node where noderole = 'primary' order by groupid) as nodes,
    (select count(*)::integer from pg_dist_shard where logicalrelid = to_regclass('${leadingTable}')) as shards,
    ${tablesSql('exists')} as distributed, ${tablesSql('not exists')} as undistributed`,
  row: Type.Object({
    isCoordinator: Type.Boolean(),
    nodes: Type.Array(Type.String()),
    shards: Type.Integer(),
    distributed: Type.Array(Type.String()),
    undistributed: Type.Array(Type.String()),
  }),
});

// Connects to each node.
const selectUnreachable = statement({
  name: 'select_unreachable_nodes',
  text: `select nodename || ':' || nodeport as name from pg_dist_node
    where noderole = 'primary' and not citus_check_connection_to_node(nodename, nodeport) order by groupid`,
  row: Type.Object({ name: Type.String() }),
});

/** Returns undefined for a database without Citus. */
export async function findCluster(queryable: Queryable): Promise<Cluster | undefined> {
  const [found] = await queryable.rows(isClusterThere, []);
  return found?.isThere === true ? (await queryable.rows(selectCluster, []))[0] : undefined;
}

export async function areTablesDistributed(queryable: Queryable): Promise<boolean> {
  const cluster = await findCluster(queryable);
  return cluster !== undefined && cluster.shards > 0;
}

/** Explains why a server must not use this cluster; undefined if it may. */
export function clusterProblem({ shards, undistributed }: Cluster): string | undefined {
  if (shards === 0 || undistributed.length === 0) return undefined;
  return `Some tables of this database are not distributed yet (${undistributed.join(', ')}): run opentill database distribute on the coordinator.`;
}

/** The nodes that this one cannot connect to. */
export async function findUnreachableNodes(queryable: Queryable): Promise<string[]> {
  return (await queryable.rows(selectUnreachable, [])).map(({ name }) => name);
}

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
