// What the overview reads, which begins while its code is loaded.

import { readLocalStorageValue } from '@mantine/hooks';
import type { QueryClient } from '@tanstack/react-query';
import { attentionQuery } from '../../api/attention.ts';
import { callQuery } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { chosenApp } from '../../parts/preferences.ts';
import { serverNow } from '../../runtime/clock.ts';
import { isProduction } from '../../runtime/page.ts';
import { type DayRange, dayAfter, dayIn } from '../../values/days.ts';

const shownDays = 30;

export function overviewRange(timeZone: string, now: number): DayRange {
  const to = dayIn(timeZone, now);
  return { from: dayAfter(to, 1 - shownDays), to };
}

/** As long as the server counts nothing new. */
const freshMs = 5_000;

export const overviewQuery = (range: DayRange, packageName: string | undefined) => ({
  ...callQuery('getStatistics', { ...range, by: 'day', packageName }),
  staleTime: freshMs,
});

/** The day of a chosen app of the sandbox is not known yet. */
export async function readOverview(queryClient: QueryClient): Promise<void> {
  await queryClient.prefetchQuery(sessionQuery);
  const session = queryClient.getQueryData(sessionQuery.queryKey)?.session;
  if (session?.mayCall.includes('listAttention') !== true) return;
  void queryClient.prefetchQuery(attentionQuery);
  if (!isProduction && readLocalStorageValue(chosenApp) !== undefined) return;
  const range = overviewRange(session.timeZone, serverNow());
  void queryClient.prefetchQuery(overviewQuery(range, undefined));
}
