// The loop of all jobs of a server: polling, logged failures and stop.

import type { Log } from '../runtime/log.ts';
import { pause } from '../runtime/pause.ts';
import { DatabaseUnavailable } from '../store/connection/database-failure.ts';

interface Polling {
  /** From the end of a poll to the next one, in ms, unless the poll returned `moreToDo`. */
  readonly everyMs: number;
  /** The pause after a poll is at least this many times as long as the poll took. */
  readonly restShare?: number;
  /** Pauses before the first poll, too. */
  readonly restsFirst?: boolean;
  readonly poll: () => Promise<unknown>;
  /** Called when a poll fails; polling continues. */
  readonly onFailure: (error: unknown) => void;
}

/** Returned by a poll that ends before its work is done. */
export const moreToDo = 'moreToDo';

/** Resolves when the signal is aborted and the current poll has ended. */
export async function pollUntil(signal: AbortSignal, polling: Polling): Promise<void> {
  const { everyMs, restShare = 0, restsFirst = false, poll, onFailure } = polling;
  const rest = (ms: number) => pause(ms, { signal }).catch(() => undefined);
  if (restsFirst) await rest(everyMs);
  while (!signal.aborted) {
    const begun = performance.now();
    let outcome: unknown;
    try {
      outcome = await poll();
    } catch (error) {
      onFailure(error);
    }
    const least = outcome === moreToDo ? 0 : everyMs;
    await rest(Math.max(least, restShare * (performance.now() - begun)));
  }
}

/** A job that does nothing but poll, from its start until it is stopped. */
export abstract class PollingJob implements AsyncDisposable {
  protected abstract readonly polling: Omit<Polling, 'poll' | 'onFailure'> & {
    readonly failureMessage: string;
  };
  protected readonly log: Log;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(log: Log) {
    this.log = log;
  }

  protected get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** The work of one poll, which may return `moreToDo`. */
  abstract runOnce(): Promise<unknown>;

  start(): void {
    const { failureMessage, ...polling } = this.polling;
    this.#running ??= pollUntil(this.stopping, {
      ...polling,
      poll: () => this.runOnce(),
      onFailure: (error) => {
        if (!this.stopping.aborted) logJobFailure(this.log, { error }, failureMessage);
      },
    });
  }

  /** Starts nothing more, and waits for what is in flight. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** Logs an unavailable database as a warning, everything else as an error. */
export function logJobFailure(
  log: Log,
  { error, app }: { readonly error: unknown; readonly app?: string | undefined },
  message: string,
): void {
  const level = error instanceof DatabaseUnavailable ? 'warn' : 'error';
  log[level]({ err: error, app }, message);
}

/** Waits for `work`; after `ms` it calls `abort` and keeps waiting. */
export async function endWithin(
  ms: number,
  { work, abort }: { readonly work: () => Promise<void>; readonly abort: () => void },
): Promise<void> {
  const ended = new AbortController();
  const deadline = pause(ms, { signal: ended.signal }).then(abort, () => undefined);
  await work();
  ended.abort();
  await deadline;
}
