// Waits for a condition. Tests never sleep for a guessed time.

import { inspect } from 'node:util';
import { pause } from '../../packages/server/src/runtime/pause.ts';

/** Multiplies the time limits of calls, so that only the tests of those limits see them expire. */
export const testPatience = 20;

/** Short compared to the wait, but long enough to leave the processor to others. */
const pollMs = 20;

/** Far more than anything takes on a busy machine: it costs nothing when the condition is met. */
const waitMs = 120_000;

type Truthy<Value> = Exclude<Value, false | undefined | null>;

/** Resolves to the condition's first truthy value; fails with `what` and the last value after two minutes. */
export async function waitFor<Value>(
  condition: () => Value | Promise<Value>,
  { what }: { readonly what: string },
): Promise<Truthy<Value>> {
  const deadline = AbortSignal.timeout(waitMs);
  for (;;) {
    const value = await condition();
    if (value) return value as Truthy<Value>;
    if (deadline.aborted) throw new Error(`not within ${waitMs} ms: ${what}; got ${inspect(value)}`);
    await pause(pollMs);
  }
}
