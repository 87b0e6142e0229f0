// One bundled PostgreSQL without fsync for the whole run, with a migrated database that each test file clones. Tests of
// durability start their own PostgreSQL.

import { Client, type ClientConfig } from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../src/embedded/start-embedded-postgres.ts';
import { migrate } from '../src/store/connection/migrate.ts';
import { buildPrograms } from './built-programs.ts';
import { findClusterFolder, makeScratch } from './embedded/scratch.ts';
import { refusedStart } from './start/opentill-process.ts';
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

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using starting = new AsyncDisposableStack();
  starting.use(await buildPrograms());
  const compiled = compileProgram();
  const scratch = starting.use(await makeScratch());
  // Removed after PostgreSQL has ended.
  const stack = starting.use(new AsyncDisposableStack());
  const postgres = starting.use(await startEmbeddedPostgres(scratch));
  const { connection } = postgres;
  const client = new Client(connection);
  await client.connect();
  const clusterFolder = await findClusterFolder(scratch.dataFolder);
  await client.query(
    `create database ${templateDatabase} ${await tablespaceClause(client, { clusterFolder, stack })}`,
  );
  await migrate({ ...connection, database: templateDatabase });
  await client.query(`create database ${migratedDatabase} template ${templateDatabase} strategy file_copy`);
  await client.end();
  project.provide('postgres', connection);
  project.provide('templateDatabase', templateDatabase);
  project.provide('migratedDatabase', migratedDatabase);
  await compiled;
  const running = starting.move();
  return () => running.disposeAsync();
}

/** Only a process that ends normally writes its compiled code, which servers that are killed later then use. */
async function compileProgram(): Promise<void> {
  const nobodyListens = 'postgresql://nobody@127.0.0.1:1/none';
  const { code, stderr } = await refusedStart({
    env: {
      DATABASE_URL: nobodyListens,
      OPENTILL_OPERATOR_KEY: 'a-key-that-no-caller-of-this-server-uses',
      OPENTILL_TOKEN_KEYS: `1:${Buffer.alloc(32, 1).toString('base64url')}`,
    },
  });
  if (code !== 1 || !stderr.includes('ECONNREFUSED'))
    throw new Error(`The program does not start: ${stderr}`);
}
