// How the bundled PostgreSQL is set up. Given on its command line, so that a new version of OpenTill
// brings its own settings to data that an older one made.

import type { Listening } from './socket-folder.ts';

/** Connections that the bundled PostgreSQL takes: a server's pool, and a few for commands and the operator's tools. */
export const connectionsMax = 100;

interface PostgresSetting {
  readonly clusterFolder: string;
  readonly listening: Listening;
  /** Whether what is acknowledged survives a power loss. False for data that is thrown away: it is faster. */
  readonly isDurable: boolean;
}

export function postgresArguments({ clusterFolder, listening, isDurable }: PostgresSetting): string[] {
  const durable = isDurable ? 'on' : 'off';
  const settings: Record<string, string> = {
    listen_addresses: listening.socketFolder === undefined ? listening.host : '',
    port: String(listening.port),
    unix_socket_directories: listening.socketFolder === undefined ? '' : `"${listening.socketFolder}"`,
    unix_socket_permissions: '0700',
    password_encryption: 'scram-sha-256',
    fsync: durable,
    full_page_writes: durable,
    synchronous_commit: durable,
    wal_level: 'replica',
    // Bounds both the room on disk and the length of a recovery.
    max_wal_size: '512MB',
    max_connections: String(connectionsMax),
    shared_buffers: '128MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    restart_after_crash: 'on',
    // Short statements by primary key: compiling them costs more than running them.
    jit: 'off',
    // The watcher writes the log. Texts of statements stay out of it: they may hold a password.
    logging_collector: 'off',
    log_destination: 'stderr',
    log_line_prefix: '%m [%p] ',
    log_min_error_statement: 'panic',
  };
  return [
    '-D',
    clusterFolder,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}
