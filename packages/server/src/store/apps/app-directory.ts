// A cache of the apps that tokens are checked against. Changes by another server are visible after a few seconds at the
// latest.

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../connection/database.ts';
import { type AppState, appStateReader, packageNameFinder } from './apps.ts';

/** How long a cached state is used, in ms (docs/architecture.md). */
const appStateMaxAgeMs = 5_000;

/** Cached apps, of about 300 bytes each. */
const cachedAppsMax = 10_000;

interface CachedApp {
  readonly state: AppState;
  readonly readAt: number;
}

export interface AppDirectory {
  /** The cached state, at most 5 seconds old; undefined if it has to be read. */
  findCached(appNumber: number): AppState | undefined;
  /** Reads the current state from the database; undefined for an unknown app. */
  read(appNumber: number): Promise<AppState | undefined>;
  /** Makes the next check of this app read the database. */
  invalidate(packageName: string): void;
}

export function appDirectory(database: Database, clock: Clock): AppDirectory {
  const readState = appStateReader(database);
  const findPackageName = packageNameFinder(database);
  const cached = new LRUCache<number, CachedApp>({ max: cachedAppsMax });
  const numbers = new LRUCache<string, number>({ max: cachedAppsMax });
  // A state that was being read during an invalidation may be older than the change, so it is not cached.
  let invalidations = 0;
  return {
    findCached(appNumber) {
      // An app in use is cached again every few seconds, which keeps its entry recent.
      const app = cached.peek(appNumber);
      if (app === undefined) return undefined;
      const ageMs = clock.now() - app.readAt;
      return ageMs >= 0 && ageMs < appStateMaxAgeMs ? app.state : undefined;
    },
    async read(appNumber) {
      const readAt = clock.now();
      const invalidationsBefore = invalidations;
      // The package name of a number never changes. Every statement names the package, so the state is read by name.
      const packageName = cached.get(appNumber)?.state.packageName ?? (await findPackageName(appNumber));
      const state = packageName === undefined ? undefined : await readState(packageName);
      if (state === undefined) return undefined;
      if (invalidations === invalidationsBefore) cached.set(appNumber, { state, readAt });
      numbers.set(state.packageName, appNumber);
      return state;
    },
    invalidate(packageName) {
      invalidations += 1;
      const appNumber = numbers.get(packageName);
      if (appNumber !== undefined) cached.delete(appNumber);
    },
  };
}
