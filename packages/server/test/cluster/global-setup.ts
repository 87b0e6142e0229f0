// What the server tests need for a run on a Citus cluster: the programs, and the nodes.

import type { ClientConfig } from 'pg';
import type { TestProject } from 'vitest/node';
import { buildPrograms } from '../../../../test/support/built-programs.ts';
import {
  citusMissing,
  type NodePrograms,
  startCitusNodes,
} from '../../../../test/support/cluster/citus-nodes.ts';
import {
  createClusterDatabase,
  distributeDatabase,
} from '../../../../test/support/cluster/cluster-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The nodes of the cluster, the coordinator first; undefined on one PostgreSQL. */
    clusterNodes: readonly ClientConfig[] | undefined;
    nodePrograms: NodePrograms;
  }
}

const migratedDatabase = 'opentill_migrated';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using starting = new AsyncDisposableStack();
  const cluster = await startCitusNodes({ isDurable: false });
  if (cluster === undefined) {
    process.stdout.write(`${citusMissing} The cluster suite did not run.\n`);
    process.exit(0);
  }
  starting.use(cluster);
  const { nodes, programs } = cluster;
  starting.use(await buildPrograms());
  await distributeDatabase(await createClusterDatabase(nodes, migratedDatabase));
  project.provide('postgres', nodes[0] as ClientConfig);
  project.provide('clusterNodes', nodes);
  project.provide('nodePrograms', programs);
  project.provide('migratedDatabase', migratedDatabase);
  const running = starting.move();
  return () => running.disposeAsync();
}
