// Writes the actions of calls that were rejected with 403 or 409: a limited number for each key, so that a client that
// repeats such a call does not fill the audit trail.

import { FixedWindows } from '../../runtime/fixed-windows.ts';
import { appendAction, type NewAction, noApp } from '../../store/audit/actions.ts';
import type { Database } from '../../store/connection/database.ts';

/** Rejected calls of one author that are recorded in a window; further ones are counted. */
const recordedMax = 60;
const windowMs = 60_000;

/** Authors that are counted at once. */
const authorsMax = 10_000;

/** Rejected calls queue under this name. */
const rejectedRecord = 'rejected calls';

interface RejectedCallsOptions {
  readonly database: Database;
  /** Called for each rejected call that is not recorded; `error` if it could not be written. */
  readonly onUnrecorded: (error?: unknown) => void;
}

/** Returns a function that never fails, because the response does not depend on it. */
export function rejectedCalls({ database, onUnrecorded }: RejectedCallsOptions) {
  const windows = new FixedWindows({ windowMs, keysMax: authorsMax });
  /** The action belongs to the app of the path, if there is such an app. */
  return async (packageName: string | undefined, action: NewAction): Promise<void> => {
    if (windows.count(action.madeBy, action.time).count > recordedMax) {
      onUnrecorded();
      return;
    }
    try {
      await database.transaction({ packageName: noApp, record: rejectedRecord }, async (transaction) => {
        const head =
          packageName === undefined ? undefined : await appendAction(transaction, packageName, action);
        if (head === undefined) await appendAction(transaction, noApp, action);
      });
    } catch (error) {
      onUnrecorded(error);
    }
  };
}

export type RecordRejected = ReturnType<typeof rejectedCalls>;
