// Calls that wait for an event. One statement polls for all of them, so it does not matter which server wrote the event
// (docs/decisions/events.md).

import { pause } from '../../runtime/pause.ts';
import { DatabaseUnavailable } from '../../store/connection/database-failure.ts';

/** While calls wait, the counters are polled at this interval in ms, so a wait ends at most this long after its event. */
const pollEveryMs = 100;

const developerWaitersMax = 1_000;
const developerWaitersPerAppMax = 20;
const consoleWaitersMax = 200;
const consoleWaitersPerAppMax = 50;

/**
 * Waiting calls on one server, and of one app. Each call uses a connection and a few kilobytes. Those of consoles are
 * counted apart, so that they never use up the calls of developers; a browser makes one call for all of its tabs.
 */
export const waitersMax = {
  developer: { ofServer: developerWaitersMax, ofApp: developerWaitersPerAppMax },
  console: { ofServer: consoleWaitersMax, ofApp: consoleWaitersPerAppMax },
} as const;

type WaiterKind = keyof typeof waitersMax;

export interface WaitersMax {
  readonly ofServer: number;
  readonly ofApp: number;
}

interface EventWait {
  readonly kind: WaiterKind;
  readonly packageName: string;
  /** The order of the last event that the caller knows. */
  readonly after: number;
  readonly waitMs: number;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal | undefined;
}

/** `ended`: there is a new event, or the wait timed out. `appFull`, `serverFull`: too many calls wait already. */
type WaitOutcome = 'ended' | 'appFull' | 'serverFull';

interface Waiter extends Pick<EventWait, 'kind' | 'packageName' | 'after'> {
  readonly endsAt: number;
  readonly end: () => void;
  readonly fail: (error: unknown) => void;
}

interface EventWaitersOptions {
  /** Finds the order of the last event of each of these apps. */
  readonly findOrders: (packageNames: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Aborted when the server shuts down, which ends all waits. */
  readonly stopping: AbortSignal;
  /** Called with the number of waiting calls whenever it changes. */
  readonly onCount: (waiting: number) => void;
}

export class EventWaiters {
  readonly #options: EventWaitersOptions;
  readonly #waiters = new Set<Waiter>();
  #polling: Promise<void> | undefined;

  constructor(options: EventWaitersOptions) {
    this.#options = options;
    options.stopping.addEventListener('abort', () => {
      for (const waiter of this.#waiters) waiter.end();
    });
  }

  async wait({ kind, packageName, after, waitMs, signal }: EventWait): Promise<WaitOutcome> {
    const { stopping, onCount } = this.#options;
    if (signal?.aborted === true || stopping.aborted) return 'ended';
    const ofKind = [...this.#waiters].filter((waiter) => waiter.kind === kind);
    const max = waitersMax[kind];
    if (ofKind.length >= max.ofServer) return 'serverFull';
    const ofApp = ofKind.filter((waiter) => waiter.packageName === packageName);
    if (ofApp.length >= max.ofApp) return 'appFull';
    const { promise, resolve, reject: fail } = Promise.withResolvers<void>();
    const end = (): void => resolve();
    const waiter: Waiter = { kind, packageName, after, endsAt: performance.now() + waitMs, end, fail };
    this.#waiters.add(waiter);
    onCount(this.#waiters.size);
    signal?.addEventListener('abort', end);
    this.#polling ??= this.#poll();
    try {
      await promise;
      return 'ended';
    } finally {
      signal?.removeEventListener('abort', end);
      this.#waiters.delete(waiter);
      onCount(this.#waiters.size);
    }
  }

  async #poll(): Promise<void> {
    const { stopping } = this.#options;
    while (this.#waiters.size > 0 && !stopping.aborted) {
      await pause(pollEveryMs, { signal: stopping }).catch(() => undefined);
      const waiters = [...this.#waiters];
      try {
        await this.#endDone(waiters);
      } catch (error) {
        for (const waiter of waiters) waiter.fail(error);
      }
    }
    this.#polling = undefined;
  }

  async #endDone(waiters: readonly Waiter[]): Promise<void> {
    const packageNames = new Set(waiters.map(({ packageName }) => packageName));
    const orders = await this.#ordersOf([...packageNames]);
    const now = performance.now();
    for (const { packageName, after, endsAt, end } of waiters) {
      if (now >= endsAt || (orders.get(packageName) ?? 0) > after) end();
    }
  }

  /** While the database or a node of its cluster is away, no order is found: calls wait to their end, and read then. */
  async #ordersOf(packageNames: readonly string[]): Promise<ReadonlyMap<string, number>> {
    try {
      return await this.#options.findOrders(packageNames);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return new Map();
      throw error;
    }
  }
}
