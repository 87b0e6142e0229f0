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

/** The wait, who has the lock, where in a function it waits, and the statement. */
const messagesOfWait = 4;

export interface WatchedPostgres extends AsyncDisposable {
  readonly connection: EmbeddedPostgres['connection'];
  /** What was logged of each wait so far: which lock, and the statement that waits. */
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
      const messages = log.split(/\n(?=\d{4}-)/);
      return messages.flatMap((message, index) =>
        message.includes('still waiting for')
          ? [messages.slice(index, index + messagesOfWait).join('\n')]
          : [],
      );
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
