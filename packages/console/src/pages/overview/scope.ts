// Whose numbers the overview shows. In the sandbox each app has its own clock and thus its own today, so they are those of
// the app that is chosen above the navigation.

import { useQuery } from '@tanstack/react-query';
import { hasStatus } from '../../api/client.ts';
import { chosenClockQuery } from '../../api/overview.ts';
import { useChosenApp } from '../../parts/preferences.ts';
import { serverNow } from '../../runtime/clock.ts';
import { isProduction } from '../../runtime/page.ts';

interface Scope {
  /** undefined: all apps. */
  readonly packageName: string | undefined;
  /** undefined while the clock of the app is not known. */
  readonly now: number | undefined;
}

export function useScope(): Scope {
  const [chosen] = useChosenApp();
  const packageName = isProduction ? undefined : chosen;
  const clock = useQuery({ ...chosenClockQuery(packageName ?? ''), enabled: packageName !== undefined });
  // The choice may be left from another sandbox.
  if (packageName === undefined || hasStatus(clock.error, 404)) {
    return { packageName: undefined, now: serverNow() };
  }
  return { packageName, now: clock.data?.now };
}
