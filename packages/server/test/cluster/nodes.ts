// The nodes of the cluster of a run: kills and starts them, and finds apps whose rows are on one of them.

import type { ClientConfig } from 'pg';
import { inject } from 'vitest';
import { startNode, stopNode } from '../../../../test/support/cluster/citus-nodes.ts';
import { createTestApp, type TestApp } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import type { ServerAddress } from '../../../../test/support/start/opentill-process.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';

/** The ports of the nodes, that of the coordinator first. */
export const nodePorts: readonly number[] = (inject('clusterNodes') ?? []).map(({ port }) => Number(port));
export const [coordinatorPort = 0, ...workerPorts] = nodePorts;

/** A node that was killed; it is started again at the end, at the latest. */
export interface KilledNode extends AsyncDisposable {
  start(): Promise<void>;
}

/** Kills a node at once, as a crash of its machine would. */
export async function killNode(port: number): Promise<KilledNode> {
  await stopNode(inject('nodePrograms'), port);
  let isStarted = false;
  const start = async (): Promise<void> => {
    if (isStarted) return;
    await startNode(inject('nodePrograms'), port);
    isStarted = true;
    const node = inject('clusterNodes')?.find((each) => Number(each.port) === port);
    const responds = () => query({ ...node }, 'select').then(Boolean, () => false);
    await waitFor(responds, { what: `a node that responds on port ${port}` });
  };
  return { start, [Symbol.asyncDispose]: start };
}

/** The port of the node with the rows of a package name. */
export async function portOfRows(connection: ClientConfig, packageName: string): Promise<number> {
  const [row] = await query(
    connection,
    `select nodeport from pg_dist_placement join pg_dist_node using (groupid)
      where shardid = get_shard_id_for_distribution_column('purchase', $1::text)`,
    [packageName],
  );
  return row.nodeport;
}

/** Creates an app whose rows are on the node with this port. */
export async function createAppOn(
  server: ServerAddress,
  {
    connection,
    port,
    name,
  }: { readonly connection: ClientConfig; readonly port: number; readonly name: string },
): Promise<TestApp> {
  for (let nth = 0; ; nth += 1) {
    const packageName = `com.example.${name}${nth}`;
    if ((await portOfRows(connection, packageName)) === port) return await createTestApp(server, packageName);
  }
}

/** The connection to the same database at the node with this port. */
export function atNode(connection: ClientConfig, port: number): ClientConfig {
  const node = inject('clusterNodes')?.find((each) => Number(each.port) === port);
  return { ...connection, host: node?.host, port };
}
