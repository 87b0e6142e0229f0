// The time of apps, for calls that name no app in their path.

import { appNow } from '../../domain/sandbox/app-clock.ts';
import { listAppClocks } from '../../store/sandbox/app-clocks.ts';
import type { Store } from '../../store/store.ts';

/** Returns a function with the instant of each of these apps: in production real time, in the sandbox that of its clock. */
export async function readAppTimes(
  store: Store,
  packageNames: readonly string[],
  realNow: number,
): Promise<(packageName: string) => number> {
  if (store.environment === 'production' || packageNames.length === 0) return () => realNow;
  const names = [...new Set(packageNames)];
  const queryable = names.length === 1 ? store.database : store.database.storeWide;
  const clocks = await listAppClocks(queryable, names);
  return (packageName) => appNow(clocks.get(packageName), realNow);
}
