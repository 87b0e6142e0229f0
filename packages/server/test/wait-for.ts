// Waits for a condition. Tests never sleep for a guessed time.

import { pause } from '../src/runtime/pause.ts';

/** Short compared to the wait, but long enough to leave the processor to others. */
const pollMs = 20;

type Truthy<Value> = Exclude<Value, false | undefined | null>;

/** Resolves to the condition's first truthy value; fails with `what` after the deadline. */
export async function waitFor<Value>(
  condition: () => Value | Promise<Value>,
  options: { deadlineMs: number; what: string },
): Promise<Truthy<Value>> {
  const deadline = AbortSignal.timeout(options.deadlineMs);
  for (;;) {
    const value = await condition();
    if (value) return value as Truthy<Value>;
    if (deadline.aborted) throw new Error(`not within ${options.deadlineMs} ms: ${options.what}`);
    await pause(pollMs);
  }
}
