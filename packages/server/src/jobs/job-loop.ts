// What all jobs of a server share: how they poll, log failures and stop.

import type { Log } from '../runtime/log.ts';
import { pause } from '../runtime/pause.ts';
import { DatabaseUnavailable } from '../store/connection/database-failure.ts';

interface Polling {
  /** From the end of a poll to the next one, in ms. */
  readonly everyMs: number;
  /** The pause after a poll is at least this many times as long as the poll took. */
  readonly restShare?: number;
  /** Pauses before the first poll, too. */
  readonly restsFirst?: boolean;
  readonly poll: () => Promise<unknown>;
  /** Called when a poll fails; polling continues. */
  readonly onFailure: (error: unknown) => void;
}

/** Resolves when the signal is aborted and the current poll has ended. */
export async function pollUntil(signal: AbortSignal, polling: Polling): Promise<void> {
  const { everyMs, restShare = 0, restsFirst = false, poll, onFailure } = polling;
  const rest = (ms: number) => pause(ms, { signal }).catch(() => undefined);
  if (restsFirst) await rest(everyMs);
  while (!signal.aborted) {
    const begun = performance.now();
    try {
      await poll();
    } catch (error) {
      onFailure(error);
    }
    await rest(Math.max(everyMs, restShare * (performance.now() - begun)));
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
