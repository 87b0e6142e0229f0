// One bundled PostgreSQL without fsync for all projects of a run, with a migrated database that each test file clones.
// Tests of durability start their own PostgreSQL.

import { Client, type ClientConfig } from 'pg';
import type { TestProject } from 'vitest/node';
import { findClusterFolder, makeScratch } from '../../../test/support/embedded/scratch.ts';
import { query } from '../../../test/support/query.ts';
import { testTimeFunctionSql, testTimeSql } from '../../../test/support/test-clock.ts';
import { startEmbeddedPostgres } from '../src/embedded/start-embedded-postgres.ts';
import { migrate } from '../src/store/schema/migrate.ts';
import { tablespaceClause } from './test-tablespace.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: ClientConfig;
    /** A template without connections, because PostgreSQL cannot clone a database that has some. */
    templateDatabase: string;
    /** A migrated database that no test changes. */
    migratedDatabase: string;
  }
}

const templateDatabase = 'opentill_template';
const migratedDatabase = 'opentill_migrated';

/** Global setup: starts PostgreSQL, unless another project of this run has started it. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const run = project.vitest.getRootProject();
  if (run.getProvidedContext().postgres !== undefined) return undefined;
  await using starting = new AsyncDisposableStack();
  const scratch = starting.use(await makeScratch());
  // Removed after PostgreSQL has ended.
  const stack = starting.use(new AsyncDisposableStack());
  const { connection } = starting.use(await startEmbeddedPostgres(scratch));
  const client = new Client(connection);
  await client.connect();
  const clusterFolder = await findClusterFolder(scratch.dataFolder);
  await client.query(
    `create database ${templateDatabase} ${await tablespaceClause(client, { clusterFolder, stack })}`,
  );
  await migrate({ ...connection, database: templateDatabase });
  await query({ ...connection, database: templateDatabase }, `${testTimeSql}; ${testTimeFunctionSql}`);
  await client.query(`create database ${migratedDatabase} template ${templateDatabase} strategy file_copy`);
  await client.end();
  run.provide('postgres', connection);
  run.provide('templateDatabase', templateDatabase);
  run.provide('migratedDatabase', migratedDatabase);
  const running = starting.move();
  return () => running.disposeAsync();
}
