// For how long the oldest payment has been overdue, for the metrics.

import { remembered } from '../../runtime/remembered.ts';
import type { Store } from '../../store/store.ts';
import { findOldestOpenAttempt, listDueApps } from '../../store/subscriptions/due-renewals.ts';

/** How old a reading may be, in ms: a scan reads one index entry for each app. */
const rememberedMs = 10_000;

/** Reads it in seconds, 0 if none is overdue; a paused app renews nothing and is not counted. */
export function overdueReader({ database: { storeWide }, clock, environment }: Store): () => Promise<number> {
  const read = remembered(rememberedMs, async (now) => {
    const [oldest] = await listDueApps(storeWide, { now, limit: 1 });
    const overdueMs = oldest === undefined ? 0 : oldest.now - oldest.dueTime;
    // In the sandbox an open attempt is due by the clock of its app.
    const openSince = environment === 'production' ? await findOldestOpenAttempt(storeWide) : undefined;
    return Math.max(overdueMs, now - (openSince ?? now)) / 1000;
  });
  return () => read(clock.expected());
}
