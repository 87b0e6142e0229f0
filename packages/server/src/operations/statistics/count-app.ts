// Counts what changed in an app, in steps of one transaction each (docs/decisions/statistics.md).

import type { Database, Queryable } from '../../store/connection/database.ts';
import {
  findPurchaseIdAfter,
  readChangesBeforeEvents,
  readChangesOfEvents,
} from '../../store/statistics/counted-changes.ts';
import { type Cursor, lockCursor, moveCursor, openCursor } from '../../store/statistics/statistic-cursors.ts';
import { addChanges } from '../../store/statistics/statistic-days.ts';

/** Events, or purchases, that one step counts: some tens of ms. Their prices add up to less than 2^53. */
const countedTogetherMax = 1_000;

interface CountedApp {
  readonly packageName: string;
  readonly timeZone: string;
  readonly now: number;
  /** A smaller step, in tests. */
  readonly countedMax?: number | undefined;
}

type CountingDatabase = Pick<Database, 'transaction'>;

/** Counts one step; returns true if there may be more, and false also while another server counts the app. */
export async function countStep(database: CountingDatabase, app: CountedApp): Promise<boolean> {
  const scope = { packageName: app.packageName, record: 'statistics' };
  const counted = await database.transaction(scope, (transaction) => countNext(transaction, app));
  return counted ?? (await database.transaction(scope, (transaction) => openCursor(transaction, app)));
}

/** Returns undefined if the app has no cursor that is unlocked. */
async function countNext(transaction: Queryable, app: CountedApp): Promise<boolean | undefined> {
  const { packageName, countedMax: limit = countedTogetherMax } = app;
  const cursor = await lockCursor(transaction, packageName);
  if (cursor === undefined) return undefined;
  const { eventOrder, filledUntil: after, lastOrder } = cursor;
  const next = (moved: Partial<Cursor>) => moveCursor(transaction, packageName, { ...cursor, ...moved });
  if (after !== null) {
    const until = await findPurchaseIdAfter(transaction, { packageName, after, limit });
    if (until !== null) {
      const changes = await readChangesBeforeEvents(transaction, { ...app, eventOrder, after, until });
      await addChanges(transaction, packageName, changes);
    }
    await next({ filledUntil: until });
    return true;
  }
  const until = Math.min(lastOrder, eventOrder + limit);
  if (until <= eventOrder) return false;
  await addChanges(
    transaction,
    packageName,
    await readChangesOfEvents(transaction, { ...app, after: eventOrder, until }),
  );
  await next({ eventOrder: until });
  return until < lastOrder;
}
