// The server program, run with --expose-gc, that responds to each message of its parent with what the process keeps.

import { readdirSync, readlinkSync } from 'node:fs';
import { setImmediate as afterFinalizers } from 'node:timers/promises';
import { main } from '../packages/server/src/program/main.ts';

const collections = 10;
const descriptors = '/proc/self/fd';

export interface ProcessState {
  /** After garbage collection, in MB. */
  readonly heapMb: number;
  /** Timers, sockets and system requests that keep the process running. */
  readonly handles: number;
  readonly files: number;
  /** To clients, receivers and PostgreSQL. */
  readonly connections: number;
}

function isSocket(descriptor: string): boolean {
  try {
    return readlinkSync(`${descriptors}/${descriptor}`).startsWith('socket:');
  } catch {
    // The descriptor of the listing itself is closed by now.
    return false;
  }
}

/** The smallest heap of several collections, because finalizers of one run before the next. */
async function currentState(): Promise<ProcessState> {
  let heapMb = Infinity;
  for (let collection = 0; collection < collections; collection += 1) {
    globalThis.gc?.();
    heapMb = Math.min(heapMb, process.memoryUsage().heapUsed / 1e6);
    await afterFinalizers();
  }
  const files = readdirSync(descriptors);
  return {
    heapMb,
    handles: process.getActiveResourcesInfo().length,
    files: files.length,
    connections: files.filter(isSocket).length,
  };
}

process.on('message', async () => process.send?.(await currentState()));
// A stopped server exits although its parent could ask.
process.channel?.unref();
await main([], process.env);
