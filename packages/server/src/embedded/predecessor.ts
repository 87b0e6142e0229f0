// What a server that starts may find on its data folder: another living server, one that is just
// starting or stopping, or a PostgreSQL whose server and watcher were both killed.

import { pause } from '../runtime/pause.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import type { Place } from './place.ts';
import { findPostmaster, type PostmasterFile, readPostmasterFile } from './postmaster.ts';
import { isAlive, listCommandLines } from './processes.ts';
import { askWhetherServerLives, type Endpoint } from './server-lock.ts';
import { removeAbandonedSocketFolder } from './socket-folder.ts';
import { stopPostgres } from './stop-postgres.ts';
import { isWatcherOf } from './watcher-order.ts';

/** An old watcher needs 5 seconds at most; a PostgreSQL that recovers from a crash may need longer. */
const wayClearWithinMs = 20_000;

/** Windows shows no command lines: there a watcher is taken to live for as long as it ever needs. */
const unseenWatcherGoneWithinMs = 6_000;

/** A stop takes some 50 ms: asking this often delays the next start by little. */
const pollMs = 20;

/** How to speak with a PostgreSQL that is found, and how to stop it. */
interface PredecessorAccess {
  readonly user: string;
  readonly password: string;
  readonly programFolder: string;
}

/**
 * Resolves when nobody else is on the cluster. Throws a StartProblem if a living server is, or if
 * somebody is still there after a bounded time.
 */
export async function clearTheWay(
  place: Place,
  access: PredecessorAccess,
  signal: AbortSignal,
): Promise<void> {
  const deadline = AbortSignal.timeout(wayClearWithinMs);
  const unseenWatcherGone = AbortSignal.timeout(unseenWatcherGoneWithinMs);
  const { clusterFolder } = place;
  for (;;) {
    signal.throwIfAborted();
    const noted = await readPostmasterFile(clusterFolder);
    const pid = await findPostmaster(clusterFolder);
    const isWatched =
      process.platform === 'win32'
        ? pid !== undefined && !unseenWatcherGone.aborted
        : await hasWatcher(clusterFolder);
    if (pid === undefined && !isWatched) {
      await removeAbandonedSocketFolder(place);
      return;
    }
    if (pid !== undefined && noted?.pid === pid) await refuseBesideLivingServer(place, noted, access);
    // A watcher stops or starts what it watches: only what nobody watches is stopped from here.
    if (pid !== undefined && !isWatched) {
      await stopPostgres({ ...access, pid, clusterFolder, hasGone: () => !isAlive(pid) });
    }
    if (deadline.aborted) {
      throw new StartProblem(
        `another OpenTill server is still starting or stopping on the data folder ${place.dataFolder}: ` +
          'try again when it is done',
      );
    }
    await pause(pollMs, { signal });
  }
}

async function hasWatcher(clusterFolder: string): Promise<boolean> {
  return (await listCommandLines()).some(({ commandLine }) => isWatcherOf(clusterFolder, commandLine));
}

async function refuseBesideLivingServer(
  place: Place,
  postmaster: PostmasterFile,
  access: PredecessorAccess,
): Promise<void> {
  if ((await askWhetherServerLives(endpointOf(postmaster, access))) === 'lives') {
    throw new StartProblem(
      `another OpenTill server is running on the data folder ${place.dataFolder}: stop it, or give this one another folder`,
    );
  }
}

/** Where a PostgreSQL that noted itself listens. */
export function endpointOf(
  { socketFolder, listenAddress, port }: PostmasterFile,
  { user, password }: Pick<PredecessorAccess, 'user' | 'password'>,
): Endpoint {
  return { host: socketFolder === '' ? listenAddress : socketFolder, port, user, password };
}
