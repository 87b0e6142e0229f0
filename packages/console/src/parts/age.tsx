// How old something is, in words that keep up.

import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { serverNow } from '../runtime/clock.ts';
import { secondMs } from '../runtime/durations.ts';
import { durationText } from '../values/quantity-text.ts';

/** Since an instant of the server, which is exact to a second: "4 s". */
export function Age({ since }: { readonly since: number }) {
  const [now, setNow] = useState(serverNow);
  useInterval(() => setNow(serverNow()), secondMs, { autoInvoke: true });
  return durationText(Math.max(0, now - since));
}
