// The apps that tokens are checked against, remembered for a few seconds. What another server changed is
// seen after that time at the latest, or at once by asking for the present state.

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../connection/database.ts';
import { type AppState, appStateReader, packageNameFinder } from './apps.ts';

/** How long a state may be believed without asking the database, in ms (docs/architecture.md). */
const appStateMaxAgeMs = 5_000;

/** Remembered apps: about 300 bytes each. */
const rememberedAppsMax = 10_000;

interface RememberedApp {
  readonly state: AppState;
  readonly readAt: number;
}

export interface AppDirectory {
  /** The state as it was at most 5 seconds ago; undefined when it has to be read. */
  recall(appNumber: number): AppState | undefined;
  /** The state as the database has it now; undefined for an unknown app. */
  read(appNumber: number): Promise<AppState | undefined>;
  /** Makes the next check of this app ask the database. */
  forget(packageName: string): void;
}

export function appDirectory(database: Database, clock: Clock): AppDirectory {
  const readState = appStateReader(database);
  const findPackageName = packageNameFinder(database);
  const remembered = new LRUCache<number, RememberedApp>({ max: rememberedAppsMax });
  const numbers = new LRUCache<string, number>({ max: rememberedAppsMax });
  // A state that was read while an app was forgotten may be older than the change which that tells of.
  let forgotten = 0;
  return {
    recall(appNumber) {
      // An app in use is set anew every few seconds, which is what counts as used.
      const app = remembered.peek(appNumber);
      if (app === undefined) return undefined;
      const ageMs = clock.now() - app.readAt;
      return ageMs >= 0 && ageMs < appStateMaxAgeMs ? app.state : undefined;
    },
    async read(appNumber) {
      const readAt = clock.now();
      const forgottenBefore = forgotten;
      // The package name of a number never changes; the state is read by name, as every statement is.
      const packageName = remembered.get(appNumber)?.state.packageName ?? (await findPackageName(appNumber));
      const state = packageName === undefined ? undefined : await readState(packageName);
      if (state === undefined) return undefined;
      if (forgotten === forgottenBefore) remembered.set(appNumber, { state, readAt });
      numbers.set(state.packageName, appNumber);
      return state;
    },
    forget(packageName) {
      forgotten += 1;
      const appNumber = numbers.get(packageName);
      if (appNumber !== undefined) remembered.delete(appNumber);
    },
  };
}
