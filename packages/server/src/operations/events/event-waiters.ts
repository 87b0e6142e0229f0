// Calls that wait for an event. While there are any, one statement looks for all of them at once, so that it
// makes no difference which server wrote the event (docs/decisions/events.md).

import { pause } from '../../runtime/pause.ts';

/** How often the counters are looked at while somebody waits, in ms: a wait ends so much after its event at most. */
const lookEveryMs = 100;

/** Calls that wait on one server: each holds a connection and some kilobytes. */
export const waitersMax = 1_000;

/** Of one app: a reader needs one, and its servers a few. */
export const waitersOfAppMax = 20;

interface EventWait {
  readonly packageName: string;
  /** The order of the last event that the caller knows of. */
  readonly after: number;
  readonly waitMs: number;
  /** The caller has left. */
  readonly signal: AbortSignal | undefined;
}

/** `ended`: an event has come, or the wait is over. `appFull`, `serverFull`: too many wait already. */
type WaitOutcome = 'ended' | 'appFull' | 'serverFull';

interface Waiter extends Pick<EventWait, 'packageName' | 'after'> {
  readonly endsAt: number;
  readonly end: () => void;
  readonly fail: (error: unknown) => void;
}

interface EventWaitersParts {
  /** The order of the last event of each of these apps. */
  readonly findOrders: (packageNames: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** The server is about to stop: whoever waits is answered at once. */
  readonly stopping: AbortSignal;
  /** Told of the number of calls that wait, with each change of it. */
  readonly onCount: (waiting: number) => void;
}

export class EventWaiters {
  readonly #parts: EventWaitersParts;
  readonly #waiters = new Set<Waiter>();
  #looking: Promise<void> | undefined;

  constructor(parts: EventWaitersParts) {
    this.#parts = parts;
    parts.stopping.addEventListener('abort', () => {
      for (const waiter of this.#waiters) waiter.end();
    });
  }

  /** @throws DatabaseUnavailable when it goes away meanwhile. */
  async wait({ packageName, after, waitMs, signal }: EventWait): Promise<WaitOutcome> {
    const { stopping, onCount } = this.#parts;
    if (signal?.aborted === true || stopping.aborted) return 'ended';
    if (this.#waiters.size >= waitersMax) return 'serverFull';
    const ofApp = [...this.#waiters].filter((waiter) => waiter.packageName === packageName);
    if (ofApp.length >= waitersOfAppMax) return 'appFull';
    const { promise, resolve, reject: fail } = Promise.withResolvers<void>();
    const end = (): void => resolve();
    const waiter: Waiter = { packageName, after, endsAt: performance.now() + waitMs, end, fail };
    this.#waiters.add(waiter);
    onCount(this.#waiters.size);
    signal?.addEventListener('abort', end);
    this.#looking ??= this.#look();
    try {
      await promise;
      return 'ended';
    } finally {
      signal?.removeEventListener('abort', end);
      this.#waiters.delete(waiter);
      onCount(this.#waiters.size);
    }
  }

  async #look(): Promise<void> {
    const { stopping } = this.#parts;
    while (this.#waiters.size > 0 && !stopping.aborted) {
      await pause(lookEveryMs, { signal: stopping }).catch(() => undefined);
      const waiters = [...this.#waiters];
      try {
        await this.#endThose(waiters);
      } catch (error) {
        for (const waiter of waiters) waiter.fail(error);
      }
    }
    this.#looking = undefined;
  }

  async #endThose(waiters: readonly Waiter[]): Promise<void> {
    const packageNames = new Set(waiters.map(({ packageName }) => packageName));
    const orders = await this.#parts.findOrders([...packageNames]);
    const now = performance.now();
    for (const { packageName, after, endsAt, end } of waiters) {
      if (now >= endsAt || (orders.get(packageName) ?? 0) > after) end();
    }
  }
}
