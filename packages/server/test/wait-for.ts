// Waits for what other processes bring about. Tests never sleep for a guessed time.

import { pause } from '../src/runtime/pause.ts';

/** Short beside what is waited for, long enough not to take the processor from it. */
const pollMs = 20;

type Truthy<Value> = Exclude<Value, false | undefined | null>;

/** Resolves with the condition's first truthy value; fails, naming `what`, when the deadline passes. */
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
