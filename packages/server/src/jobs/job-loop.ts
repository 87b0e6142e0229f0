// How every job of a server looks for its work again and again, tells what fails, and stops. What it looks for is
// not known here.

import type { Log } from '../runtime/log.ts';
import { pause } from '../runtime/pause.ts';
import { DatabaseUnavailable } from '../store/connection/database-failure.ts';

interface Looking {
  /** From the end of a look to the next one, in ms. */
  readonly everyMs: number;
  /** A look rests for at least so many times as long as it took. */
  readonly restShare?: number;
  readonly look: () => Promise<unknown>;
  /** Of a look; the next one comes all the same. */
  readonly onFailure: (error: unknown) => void;
}

/** Ends with the signal, once a look under way has. */
export async function lookUntil(signal: AbortSignal, looking: Looking): Promise<void> {
  const { everyMs, restShare = 0, look, onFailure } = looking;
  while (!signal.aborted) {
    const begun = performance.now();
    try {
      await look();
    } catch (error) {
      onFailure(error);
    }
    const restMs = Math.max(everyMs, restShare * (performance.now() - begun));
    await pause(restMs, { signal }).catch(() => undefined);
  }
}

/** A database that is away for a while is no fault of ours. */
export function logJobFailure(
  log: Log,
  { error, app }: { readonly error: unknown; readonly app?: string | undefined },
  message: string,
): void {
  const level = error instanceof DatabaseUnavailable ? 'warn' : 'error';
  log[level]({ err: error, app }, message);
}

/** Waits for what is under way; what takes longer than `ms` is called off, and then waited for. */
export async function endWithin(
  ms: number,
  { work, callOff }: { readonly work: () => Promise<void>; readonly callOff: () => void },
): Promise<void> {
  const ended = new AbortController();
  const bound = pause(ms, { signal: ended.signal }).then(callOff, () => undefined);
  await work();
  ended.abort();
  await bound;
}
