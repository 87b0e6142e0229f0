// How the bundled PostgreSQL is configured. The settings are on its command line, so that a new version of OpenTill
// applies its own settings to existing data.

/** Given to a cluster when it is created, so it never changes. */
export const databaseUser = 'opentill';

/** Exists in every cluster. */
const databaseName = 'postgres';

/** Connections for a server's pool, and a few for commands and the operator's tools. */
export const connectionsMax = 100;

/** The whole environment of PostgreSQL and its watcher: nothing of the server's. */
export const minimalEnvironment = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };

/** Where PostgreSQL listens: in a socket folder, or on a loopback port where there are no Unix sockets. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  readonly isSocket: boolean;
}

/** For `pg`. */
export type Connection = ReturnType<typeof connectionTo>;

export function connectionTo({ host, port }: Pick<Listening, 'host' | 'port'>, password: string) {
  // The driver would otherwise read these options from the environment, where they mean another database.
  const own = { ssl: false, sslnegotiation: 'postgres', options: ' ' } as const;
  return { ...own, host, port, user: databaseUser, password, database: databaseName };
}

interface PostgresSetting {
  readonly clusterFolder: string;
  readonly listening: Listening;
  /** False for data that is thrown away: faster, but a power loss destroys it. */
  readonly isDurable: boolean;
}

export function postgresArguments({ clusterFolder, listening, isDurable }: PostgresSetting): string[] {
  const { host, port, isSocket } = listening;
  const durable = isDurable ? 'on' : 'off';
  const settings: Record<string, string> = {
    listen_addresses: isSocket ? '' : host,
    port: String(port),
    unix_socket_directories: isSocket ? `"${host}"` : '',
    unix_socket_permissions: '0700',
    password_encryption: 'scram-sha-256',
    fsync: durable,
    full_page_writes: durable,
    synchronous_commit: durable,
    wal_level: 'replica',
    // Limits both the disk space and the duration of a recovery.
    max_wal_size: '512MB',
    max_connections: String(connectionsMax),
    shared_buffers: '128MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // A crash ends PostgreSQL, and with it the server: there is one recovery, at the next start.
    restart_after_crash: 'off',
    // Compiling short statements by primary key takes longer than running them.
    jit: 'off',
    log_destination: 'stderr',
    log_line_prefix: '%m [%p] ',
    // Keeps the texts of statements, which may contain a password, out of the log.
    log_min_error_statement: 'panic',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', clusterFolder, ...options];
}

/** The line of a program's output that explains a failure best: the last fatal one, or the last one. */
export function findErrorLine(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const fatal = lines.findLast((line) => /\b(FATAL|ERROR):|error:|could not/.test(line));
  // A panic without a reason of its own follows from what failed before.
  return (fatal ?? lines.findLast((line) => /\bPANIC:/.test(line)) ?? lines.at(-1))?.trim();
}
