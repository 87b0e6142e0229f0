// The Citus cluster that a database belongs to, if any (docs/decisions/scaling.md).

import Type from 'typebox';
import { type Queryable, statement } from './statement.ts';
import { migrationsTable, storeSchemaSql } from './store-schema.ts';

/** Tables that every node has a copy of; all others are distributed by their package name. */
export const referenceTables = ['app', 'installation', migrationsTable] as const;

/** The table whose shards those of all others are next to. */
export const leadingTable = 'purchase';

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
