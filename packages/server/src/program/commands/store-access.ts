// Finds or starts the database that the settings name, for a server or for a command.

import { existsSync } from 'node:fs';
import type { ClientConfig } from 'pg';
import type { StoreConfig } from '../../config/config.ts';
import {
  findRunningPostgres,
  hasDatabase,
  startEmbeddedPostgres,
} from '../../embedded/start-embedded-postgres.ts';
import { StartProblem } from '../../runtime/start-problem.ts';

interface ServerDatabase {
  readonly connection: ClientConfig;
  /** The folder of the bundled PostgreSQL's data if that is outside the data folder. */
  readonly elsewhere?: string | undefined;
  /** Resolves when the bundled PostgreSQL has ended by itself. */
  readonly ended?: Promise<void>;
}

/** For a server: starts the bundled PostgreSQL unless a URL is set; it stops with `owner`. */
export async function databaseOf(
  { databaseUrl, dataFolder }: Pick<StoreConfig, 'databaseUrl' | 'dataFolder'>,
  owner: AsyncDisposableStack,
): Promise<ServerDatabase> {
  if (databaseUrl !== undefined) return { connection: { connectionString: databaseUrl } };
  return owner.use(await startEmbeddedPostgres({ dataFolder }));
}

/**
 * Whether a database exists, without creating one.
 * @throws StartProblem if the data folder is not usable.
 */
export async function isStoreThere({ databaseUrl, dataFolder }: StoreConfig): Promise<boolean> {
  return databaseUrl !== undefined || (existsSync(dataFolder) && (await hasDatabase(dataFolder)));
}

/**
 * For a command: the bundled PostgreSQL of a running server, or one that is started for the command.
 * @throws StartProblem if there is no database and the command must not create one: in production only a server creates a
 * bundled one, because a command whose DATABASE_URL was lost would write to a store that nobody has.
 */
export async function storeConnectionOf(
  config: StoreConfig,
  { owner, mayMake }: { readonly owner: AsyncDisposableStack; readonly mayMake: boolean },
): Promise<ClientConfig> {
  const { databaseUrl, dataFolder, environment } = config;
  if (databaseUrl !== undefined) return { connectionString: databaseUrl };
  if ((!mayMake || environment === 'production') && !(await isStoreThere(config))) {
    throw new StartProblem(
      `There is no database in the data folder ${dataFolder}: use --data-dir or --database-url, or set OPENTILL_DATA_DIR or DATABASE_URL.`,
    );
  }
  const running = existsSync(dataFolder) ? await findRunningPostgres(dataFolder) : undefined;
  return running ?? (await databaseOf(config, owner)).connection;
}
