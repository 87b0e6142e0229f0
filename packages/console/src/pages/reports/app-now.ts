// The present of statistics: in the sandbox each app has its own clock and thus its own today.

import { useQuery } from '@tanstack/react-query';
import { callQuery, hasStatus, refreshEveryMs } from '../../api/client.ts';
import { serverNow } from '../../runtime/clock.ts';
import { isProduction } from '../../runtime/page.ts';

interface AppNow {
  /** undefined while the clock of the app is not known. */
  readonly now: number | undefined;
  /** The app is not found, for example because it was chosen in another sandbox. */
  readonly isUnknown?: true;
}

/** The time of an app, or real time for all apps. */
export function useAppNow(packageName: string | undefined): AppNow {
  const hasClock = !isProduction && packageName !== undefined;
  const clock = useQuery({
    ...callQuery('getClock', { packageName: packageName ?? '' }),
    enabled: hasClock,
    refetchInterval: refreshEveryMs,
  });
  if (hasStatus(clock.error, 404)) return { now: serverNow(), isUnknown: true };
  return { now: hasClock ? clock.data?.now : serverNow() };
}
