// The bundled PostgreSQL as the rest of the server sees it: started on a data folder, connected to, and
// stopped. Follows docs/decisions/bundled-postgresql.md.

import { provideBinaries, requireBundledBinaries } from './bundled-binaries.ts';
import { refuseLostCluster, refuseOtherMajorVersion, requireCluster, requirePassword } from './cluster.ts';
import { removeUnusedCopies } from './copied-binaries.ts';
import { databaseName, databaseUser } from './database-names.ts';
import { removeAbandonedDrafts } from './draft-folders.ts';
import { explainRefusal } from './explained-refusals.ts';
import { ownConnection } from './own-connection.ts';
import { noteWhereDataLies, preparePlace } from './place.ts';
import { prepareListening, removeSocketFolder } from './socket-folder.ts';
import { type PostgresSetup, SupervisedPostgres } from './supervised-postgres.ts';

export interface EmbeddedPostgres extends AsyncDisposable {
  /** What `pg` needs to connect; the host is the socket's folder, or 127.0.0.1 without Unix sockets. */
  readonly connection: typeof ownConnection & {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  };
  /** Stops PostgreSQL (open transactions are rolled back) and resolves when it has gone, within seconds. */
  stop(): Promise<void>;
  /** This process may end while PostgreSQL runs, which then ends by itself. */
  unref(): void;
}

interface EmbeddedPostgresOptions {
  readonly dataFolder: string;
  readonly signal?: AbortSignal;
  /** False for data that is thrown away at the end: nothing waits for the disk, and a power loss ruins it. */
  readonly isDurable?: boolean;
  /** False: the data folder is removed when PostgreSQL has ended, whatever ended this process. */
  readonly isKept?: boolean;
}

/**
 * Starts the bundled PostgreSQL on a data folder, which is made if it is missing, and resolves when its
 * database can be used. Throws a StartProblem for whatever the operator has to mend, another living
 * server on the folder included, and the signal's reason when that is given before.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const source = requireBundledBinaries();
  const { signal = new AbortController().signal, isDurable = true, isKept = true } = options;
  signal.throwIfAborted();
  const place = await preparePlace(options.dataFolder);
  await refuseLostCluster(place);
  await explainRefusal(`cannot write to ${place.dataFolder}`, () => noteWhereDataLies(place));
  await refuseOtherMajorVersion(place, source);
  const password = await requirePassword(place);
  await removeAbandonedDrafts(place.base);
  const native = await provideBinaries({ source, base: place.base, account: place.account });
  await explainRefusal(`cannot make the database in ${place.base}`, () =>
    requireCluster({ place, native, password, isDurable, signal }),
  );
  const listening = await prepareListening(place);
  const postgres = await startSupervised({ place, native, password, listening, isDurable, isKept }, signal);
  const stop = () => postgres.stop();
  const { host, port } = listening;
  return {
    connection: { ...ownConnection, host, port, user: databaseUser, password, database: databaseName },
    stop,
    unref: () => postgres.unref(),
    [Symbol.asyncDispose]: stop,
  };
}

async function startSupervised(setup: PostgresSetup, signal: AbortSignal): Promise<SupervisedPostgres> {
  let postgres: SupervisedPostgres | undefined;
  try {
    postgres = await SupervisedPostgres.start(setup, signal);
    await removeUnusedCopies(setup.place.base, setup.native);
    return postgres;
  } catch (error) {
    await postgres?.stop();
    await removeSocketFolder(setup.listening);
    throw error;
  }
}
