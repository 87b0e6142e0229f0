// Logs at start what outlasts the servers of a store and decides what they do, whatever their settings.

import type { Config } from '../config/config.ts';
import { wholeStore } from '../domain/identifiers.ts';
import type { Log } from '../runtime/log.ts';
import { findStatisticsZone } from '../store/statistics/statistics-zone.ts';
import type { Store } from '../store/store.ts';
import { findPause } from '../store/subscriptions/renewal-pauses.ts';

export async function logStoredState(
  { database }: Store,
  { log, config: { timeZone } }: { readonly log: Log; readonly config: Config },
): Promise<void> {
  const { pausedAt = null, pausedBy, reason } = (await findPause(database, wholeStore)) ?? {};
  if (pausedAt !== null) {
    log.warn(
      { pausedAt, pausedBy, reason },
      'renewals are paused: nothing is charged until an operator resumes them',
    );
  }
  const statisticsTimeZone = await findStatisticsZone(database);
  if (statisticsTimeZone !== undefined && statisticsTimeZone !== timeZone) {
    log.warn(
      { statisticsTimeZone, timeZone },
      'statistics keep the time zone of their first day, which OPENTILL_TIME_ZONE does not change',
    );
  }
}
