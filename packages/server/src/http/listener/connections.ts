// Limits the connections of a listener: their number, and how long unsent data waits for a client that does not read.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../../runtime/log.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { openFilesMax } from '../../runtime/open-files.ts';
import { pause } from '../../runtime/pause.ts';

export interface ConnectionLimits {
  /** Of this listener in this process. */
  readonly connectionsMax: number;
  /** Set by tests that shorten `unreadMsMax`. */
  readonly unreadMs?: number | undefined;
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

/** Connections are checked this many times within that time. */
const checksPerLimit = 12;

/** Node.js does not document the bytes that wait in the system's queue of a socket. */
type QueuedSocket = Socket & { readonly _handle: { readonly writeQueueSize: number } | null };

interface Queue {
  readonly bytes: number;
  /** performance.now() when these bytes were first seen. */
  readonly since: number;
}

export function limitConnections(
  server: Server,
  { connectionsMax, unreadMs = unreadMsMax, metrics }: ConnectionLimits & { readonly metrics: Metrics },
): void {
  // The types of Node.js lack dropMaxConnection. Without it, the parent of workers that all have too many connections
  // would offer them the next one again and again.
  Object.assign(server, { maxConnections: connectionsMax, dropMaxConnection: true });
  server.on('drop', () => metrics.countRejectedConnection());
  const queues = new Map<QueuedSocket, Queue>();
  server.on('connection', (socket: QueuedSocket) => {
    queues.set(socket, { bytes: 0, since: performance.now() });
    socket.once('close', () => queues.delete(socket));
  });
  const closed = new AbortController();
  const check = async (): Promise<void> => {
    for (;;) {
      await pause(unreadMs / checksPerLimit, { signal: closed.signal });
      closeUnread(queues, unreadMs);
    }
  };
  server.once('listening', () => check().catch(() => undefined));
  server.once('close', () => closed.abort());
}

function closeUnread(queues: Map<QueuedSocket, Queue>, unreadMs: number): void {
  const now = performance.now();
  for (const [socket, { bytes, since }] of queues) {
    const queued = socket._handle?.writeQueueSize ?? 0;
    if (queued === 0 || queued !== bytes) queues.set(socket, { bytes: queued, since: now });
    else if (now - since >= unreadMs) socket.destroy();
  }
}
