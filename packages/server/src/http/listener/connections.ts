// Limits the connections of a process: their number, and how long unsent responses wait for a client that does not read.

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../../runtime/log.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { openFilesMax } from '../../runtime/open-files.ts';
import { pause } from '../../runtime/pause.ts';

export interface ConnectionLimits {
  readonly connectionsMax: number;
  readonly unreadResponses: UnreadResponses;
}

/** What the process opens in addition to the connections of both listeners: to the database, for webhooks, and files. */
const otherFilesMax = 500;

/** The connections of each listener: with both at this limit, the process can still open files. */
export function connectionsOfEach(wantedMax: number, log: Pick<Log, 'warn'>): number {
  const filesMax = openFilesMax();
  const possibleMax = Math.max(1, Math.floor((filesMax - otherFilesMax) / 2));
  if (wantedMax <= possibleMax) return wantedMax;
  log.warn(
    `the limit of open files is ${filesMax}: each listener accepts ${possibleMax} connections instead of ${wantedMax}`,
  );
  return possibleMax;
}

/** A connection whose client has read nothing of its unsent data for this long, in ms, is closed. */
const unreadMsMax = 60_000;

/** The unsent data of all connections, in bytes, that the memory of a small machine has room for. */
const unsentBytesMax = 67_108_864;

/** With more unsent data than that, connections are closed after this time, in ms. */
const crowdedUnreadMsMax = 5_000;

const checkEveryMs = 1_000;

/** Node.js documents neither the counts of a socket's handle, nor the socket under one with TLS. */
interface InnerSocket {
  readonly _parent?: InnerSocket | null;
  /** null once it is closed. */
  readonly _handle: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
}

/** A connection with unsent data. */
interface Unsent {
  bytes: number;
  /** The bytes that the system has accepted. */
  readonly sentBytes: number;
  /** performance.now() when their number last grew. */
  readonly since: number;
}

interface UnreadLimits {
  readonly unreadMs?: number | undefined;
  readonly unsentBytes?: number;
  readonly crowdedUnreadMs?: number;
}

/** Closes the connections of clients that do not read; all listeners of a process share one. */
export class UnreadResponses implements Disposable {
  readonly #limits: { readonly [Name in keyof UnreadLimits]-?: number };
  readonly #ended = new AbortController();
  readonly #unfinished = new Set<ServerResponse>();
  #connections: ReadonlyMap<Socket, Unsent> = new Map();

  /** Tests set shorter limits. */
  constructor({
    unreadMs = unreadMsMax,
    unsentBytes = unsentBytesMax,
    crowdedUnreadMs = crowdedUnreadMsMax,
  }: UnreadLimits = {}) {
    this.#limits = { unreadMs, unsentBytes, crowdedUnreadMs };
    void this.#watch(this.#ended.signal);
  }

  track(server: Server): void {
    const unfinished = this.#unfinished;
    // One function for all responses.
    function forget(this: ServerResponse): void {
      unfinished.delete(this);
    }
    server.on('request', (_message, response) => {
      unfinished.add(response.once('close', forget));
    });
  }

  [Symbol.dispose](): void {
    this.#ended.abort();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(checkEveryMs, { signal }).catch(() => undefined);
      const now = performance.now();
      this.#connections = this.#findUnsent(now);
      this.#closeUnread(now);
    }
  }

  #findUnsent(now: number): Map<Socket, Unsent> {
    const found = new Map<Socket, Unsent>();
    for (const response of this.#unfinished) {
      const bytes = response.writableLength;
      if (bytes === 0) continue;
      const { socket } = response.req;
      const known = found.get(socket);
      if (known !== undefined) {
        known.bytes += bytes;
        continue;
      }
      const sentBytes = sentBytesOf(socket);
      const before = this.#connections.get(socket);
      const since = before?.sentBytes === sentBytes ? before.since : now;
      found.set(socket, { bytes, sentBytes, since });
    }
    return found;
  }

  #closeUnread(now: number): void {
    const { unreadMs, unsentBytes, crowdedUnreadMs } = this.#limits;
    const largestFirst = [...this.#connections].sort(([, one], [, other]) => other.bytes - one.bytes);
    let total = largestFirst.reduce((sum, [, { bytes }]) => sum + bytes, 0);
    for (const [socket, { bytes, since }] of largestFirst) {
      if (now - since < (total > unsentBytes ? crowdedUnreadMs : unreadMs)) continue;
      socket.destroy();
      total -= bytes;
    }
  }
}

function sentBytesOf(socket: Socket): number {
  const outer = socket as unknown as InnerSocket;
  const { _handle: handle } = outer._parent ?? outer;
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}

export function limitConnections(
  server: Server,
  { connectionsMax, unreadResponses, metrics }: ConnectionLimits & { readonly metrics: Metrics },
): void {
  server.maxConnections = connectionsMax;
  server.on('drop', () => metrics.countRejectedConnection());
  unreadResponses.track(server);
}
