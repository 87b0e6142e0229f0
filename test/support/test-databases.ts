// The databases of the tests: on the bundled PostgreSQL of the run, or on its Citus cluster.

import { randomBytes } from 'node:crypto';
import type { ClientConfig } from 'pg';
import { inject } from 'vitest';
import {
  createClusterDatabase,
  distributeDatabase,
  dropClusterDatabase,
} from './cluster/cluster-database.ts';
import { databaseUrlOf } from './database-url.ts';
import { query } from './query.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly connection: ClientConfig;
}

/** Whether the tests run on a Citus cluster. */
export const isCluster = inject('clusterNodes') !== undefined;

/** An empty, migrated database, dropped at the end; on a cluster, its tables are distributed. */
export async function freshDatabase(): Promise<TestDatabase> {
  // Without a disk to wait for, copying the files of the template is the quickest.
  if (!isCluster) return createDatabase(`template ${inject('templateDatabase')} strategy file_copy`);
  const database = await emptyDatabase();
  await distributeDatabase(database.connection);
  return database;
}

/** A database without tables, dropped at the end. */
export const emptyDatabase = (): Promise<TestDatabase> => createDatabase('');

/** A new name of a database or a role. */
export const newName = () => `test_${randomBytes(8).toString('hex')}`;

async function createOnNodes(nodes: readonly ClientConfig[]): Promise<TestDatabase> {
  const database = newName();
  const connection = await createClusterDatabase(nodes, database);
  return { connection, [Symbol.asyncDispose]: () => dropClusterDatabase(nodes, database) };
}

function createDatabase(clause: string): Promise<TestDatabase> {
  const nodes = inject('clusterNodes');
  return nodes === undefined ? createOnPostgres(clause) : createOnNodes(nodes);
}

/** A database of one PostgreSQL, also on a cluster, that is dropped at the end. */
export async function createOnPostgres(clause = ''): Promise<TestDatabase> {
  const postgres = inject('postgres');
  const database = newName();
  await query(postgres, `create database ${database} ${clause}`);
  return {
    connection: { ...postgres, database },
    async [Symbol.asyncDispose]() {
      await query(postgres, `drop database ${database} with (force)`);
    },
  };
}

/** On a cluster, a statement of a server that reads several shards fails. */
const serverOptions = () => (isCluster ? '-c citus.multi_task_query_log_level=error' : undefined);

/** The connection of a server of the tests. */
export function serverConnection(connection: ClientConfig): ClientConfig {
  const options = serverOptions();
  return options === undefined ? connection : { ...connection, options };
}

/** The DATABASE_URL of a server of the tests. */
export function serverUrl(connection: ClientConfig): string {
  const options = serverOptions();
  const url = databaseUrlOf(connection);
  return options === undefined ? url : `${url}?options=${encodeURIComponent(options)}`;
}
