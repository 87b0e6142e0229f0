// Waiting for an instant.

import { systemClock } from '../src/runtime/clock.ts';
import { pause } from '../src/runtime/pause.ts';

export async function pauseUntil(instant: number): Promise<void> {
  await pause(Math.max(0, instant - systemClock.now()));
}
