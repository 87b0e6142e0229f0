// One bundled PostgreSQL for the whole run, with a migrated database that each test file clones.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientConfig } from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../src/embedded/start-embedded-postgres.ts';
import { migrate } from '../src/store/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: ClientConfig;
    templateDatabase: string;
  }
}

const templateDatabase = 'opentill_template';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'opentill-test-'));
  const postgres = await startEmbeddedPostgres({ dataFolder });
  const connection: ClientConfig = { ...postgres.connection };
  const client = new Client(connection);
  await client.connect();
  await client.query(`create database ${templateDatabase}`);
  await client.end();
  await migrate({ ...connection, database: templateDatabase }, () => undefined);
  project.provide('postgres', connection);
  project.provide('templateDatabase', templateDatabase);
  return async () => {
    await postgres.stop();
    await rm(dataFolder, { recursive: true, force: true });
  };
}
