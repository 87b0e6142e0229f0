// What a server tells its watcher: as arguments when it starts it, then as lines on the pipe that binds
// the two. Both sides import this.

/** The arguments are the cluster's folder, by which a watcher is recognised, and the rest as JSON. */
export interface WatcherOrder {
  readonly clusterFolder: string;
  readonly postgresPath: string;
  readonly arguments: readonly string[];
  readonly logPath: string;
  /** Removed at the end, undefined where there are no Unix sockets. */
  readonly socketFolder: string | undefined;
  /** Removed at the end, together with all that is in them: the data of a server that keeps none. */
  readonly removedFolders: readonly string[];
  /** Who runs PostgreSQL, undefined for the watcher's own account. */
  readonly runAs: { readonly uid: number; readonly gid: number } | undefined;
}

/** From this line on the watcher starts PostgreSQL again whenever it dies. */
export const keepLine = 'keep\n';

export function encodeOrder(order: WatcherOrder): string[] {
  return [order.clusterFolder, JSON.stringify(order)];
}

export function decodeOrder(argv: readonly string[]): WatcherOrder {
  return JSON.parse(argv[1] ?? '') as WatcherOrder;
}

/** Whether a command line is that of a cluster's watcher. */
export function isWatcherOf(clusterFolder: string, commandLine: string): boolean {
  return /embedded[\\/]watcher\.[jt]s /.test(commandLine) && commandLine.includes(` ${clusterFolder} {`);
}
