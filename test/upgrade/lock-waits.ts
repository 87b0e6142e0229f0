// The log of a PostgreSQL of its own, in which each wait for a lock of more than 250 ms has a line.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../packages/server/src/embedded/start-embedded-postgres.ts';
import { makeScratch } from '../support/embedded/scratch.ts';
import { query } from '../support/query.ts';

/** The longest wait that is allowed, in ms: PostgreSQL logs it after deadlock_timeout. */
export const waitMaxMs = 250;

export interface WatchedPostgres extends AsyncDisposable {
  readonly connection: EmbeddedPostgres['connection'];
  /** The lines of waits so far. */
  waits(): Promise<readonly string[]>;
}

export async function startWatchedPostgres(): Promise<WatchedPostgres> {
  await using starting = new AsyncDisposableStack();
  const { dataFolder } = starting.use(await makeScratch());
  const { connection } = starting.use(await startEmbeddedPostgres({ dataFolder }));
  await query(connection, `alter system set deadlock_timeout = ${waitMaxMs}`);
  await query(connection, 'alter system set log_lock_waits = on');
  await query(connection, 'select pg_reload_conf()');
  const started = starting.move();
  return {
    connection,
    async waits() {
      const log = await readFile(join(dataFolder, 'postgres.log'), 'utf8');
      return log.split('\n').filter((line) => line.includes('still waiting for'));
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
