// One bundled PostgreSQL without fsync for a whole run, with a migrated database that each test file clones. Tests of
// durability start their own PostgreSQL.

import { Client, type ClientConfig } from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../src/embedded/start-embedded-postgres.ts';
import { migrate } from '../src/store/connection/migrate.ts';
import { findClusterFolder, makeScratch, query } from './embedded/scratch.ts';
import { testTimeFunctionSql, testTimeSql } from './test-clock.ts';
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

export async function providePostgres(project: TestProject, owner: AsyncDisposableStack): Promise<void> {
  const scratch = owner.use(await makeScratch());
  // Removed after PostgreSQL has ended.
  const stack = owner.use(new AsyncDisposableStack());
  const postgres = owner.use(await startEmbeddedPostgres(scratch));
  const { connection } = postgres;
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
  project.provide('postgres', connection);
  project.provide('templateDatabase', templateDatabase);
  project.provide('migratedDatabase', migratedDatabase);
}
