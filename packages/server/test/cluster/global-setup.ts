// What the server tests need for a run on a Citus cluster: the programs, and the cluster of CLUSTER_DATABASE_URL.

import type { ClientConfig } from 'pg';
import type { TestProject } from 'vitest/node';
import { buildPrograms } from '../built-programs.ts';
import {
  coordinatorOf,
  createClusterDatabase,
  distributeDatabase,
  dropClusterDatabase,
  listNodes,
} from './cluster-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The nodes of the cluster, the coordinator first; undefined on one PostgreSQL. */
    clusterNodes: ClientConfig[] | undefined;
  }
}

const migratedDatabase = 'opentill_migrated';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env['CLUSTER_DATABASE_URL'];
  if (url === undefined) {
    process.stderr.write(
      'CLUSTER_DATABASE_URL is missing: set it to the URL of a database on the coordinator of a Citus cluster.\n',
    );
    process.exit(1);
  }
  const nodes = await listNodes(coordinatorOf(url));
  await using starting = new AsyncDisposableStack();
  starting.use(await buildPrograms());
  await dropClusterDatabase(nodes, migratedDatabase);
  starting.defer(() => dropClusterDatabase(nodes, migratedDatabase));
  await distributeDatabase(await createClusterDatabase(nodes, migratedDatabase));
  project.provide('postgres', nodes[0] as ClientConfig);
  project.provide('clusterNodes', nodes);
  project.provide('migratedDatabase', migratedDatabase);
  const running = starting.move();
  return () => running.disposeAsync();
}
