// The time of an app between two readings of its clock.

import { useInterval } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { ReadClock } from '../../api/lab.ts';
import { elapsedMs } from '../../runtime/clock.ts';

const tickMs = 250;

/** A clock that is frozen, or being advanced by a call, or whose server does not answer, does not run. */
export function useAppNow(clock: ReadClock, isAnswering: boolean): number {
  const isRunning = isAnswering && clock.mode === 'running' && clock.advanceTo === undefined;
  const [at, setAt] = useState(elapsedMs);
  const { start, stop } = useInterval(() => setAt(elapsedMs()), tickMs);
  useEffect(() => {
    if (isRunning) start();
    return stop;
  }, [isRunning, start, stop]);
  if (clock.mode === 'frozen' || clock.advanceTo !== undefined) return clock.now;
  return clock.now + Math.max(0, at - clock.readAt) * clock.rate;
}
