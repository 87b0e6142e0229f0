// Scans of the jobs on a cluster with a node that does not answer: a read of all shards fails then, so each node is asked
// for its own apps, and the rows of the nodes that answer are returned (docs/decisions/scaling.md).

import Type from 'typebox';
import { leadingTable } from './cluster.ts';
import { DatabaseUnavailable } from './database-failure.ts';
import { type Queryable, type Statement, statement } from './statement.ts';

/** A node that did not answer is not asked again for this long, in ms: a hanging one costs a timeout each time. */
const awayForMs = 10_000;

// Reads all apps, and for each the shard of its rows; '' is the package name of rows that belong to no app.
const selectAppsOfNodes = statement({
  name: 'select_apps_of_nodes',
  text: `select p.groupid as "nodeId", array_agg(a.package_name) as "packageNames"
    from (select package_name from app union all select '') as a
    join pg_dist_placement p
      on p.shardid = get_shard_id_for_distribution_column('${leadingTable}', a.package_name)
    group by p.groupid`,
  row: Type.Object({ nodeId: Type.Integer(), packageNames: Type.Array(Type.String()) }),
});

type AppsOfNode = Awaited<ReturnType<typeof listAppsOfNodes>>[number];

function listAppsOfNodes(queryable: Queryable) {
  return queryable.rows(selectAppsOfNodes, []);
}

export class LivingNodes implements Queryable {
  readonly #storeWide: Queryable;
  /** Until when each node that did not answer is not asked, as an instant of performance.now(). */
  readonly #awayUntil = new Map<number, number>();

  constructor(storeWide: Queryable) {
    this.#storeWide = storeWide;
  }

  /** @throws DatabaseUnavailable if no node answers, or one does not and the statement is not a scan. */
  async rows<Row>(all: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    const { among } = all;
    if (among === undefined) return this.#storeWide.rows(all, values);
    if (this.#isAnyAway()) return this.#rowsOfNodes(among, values);
    try {
      return await this.#storeWide.rows(all, values);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return this.#rowsOfNodes(among, values);
      throw error;
    }
  }

  /** Returns the first row of each node, then the second of each, so that no node has all of its rows at the end. */
  async #rowsOfNodes<Row>(among: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    const nodes = (await listAppsOfNodes(this.#storeWide)).filter(({ nodeId }) => !this.#isAway(nodeId));
    const answers = await Promise.all(nodes.map((node) => this.#rowsOfNode(node, among, values)));
    const found = answers.filter((rows) => rows !== undefined);
    if (found.length === 0) throw new DatabaseUnavailable('No node of the cluster answers.');
    const ranked = found.flatMap((rows) => rows.map((row, rank) => ({ row, rank })));
    return ranked.sort((left, right) => left.rank - right.rank).map(({ row }) => row);
  }

  /** Undefined if the node does not answer. */
  async #rowsOfNode<Row>(
    { nodeId, packageNames }: AppsOfNode,
    among: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row[] | undefined> {
    try {
      return await this.#storeWide.rows(among, [...values, packageNames]);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.#awayUntil.set(nodeId, performance.now() + awayForMs);
      return undefined;
    }
  }

  #isAway(nodeId: number): boolean {
    return (this.#awayUntil.get(nodeId) ?? 0) > performance.now();
  }

  #isAnyAway(): boolean {
    for (const nodeId of this.#awayUntil.keys()) {
      if (this.#isAway(nodeId)) return true;
      this.#awayUntil.delete(nodeId);
    }
    return false;
  }
}
