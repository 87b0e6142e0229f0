// Deletes the purchases, subscriptions, clock, faults and log of an app; its credentials, products and webhook stay
// (docs/decisions/sandbox.md).

import { reset as operation } from '@opentill/contract/operator-api/reset.ts';
import { isAdvancing } from '../../domain/sandbox/app-clock.ts';
import { findApp } from '../../store/apps/apps.ts';
import { type Queryable, RolledBack } from '../../store/connection/database.ts';
import { Overloaded } from '../../store/connection/database-failure.ts';
import { lockAppClock } from '../../store/sandbox/app-clocks.ts';
import { deletePartOfApp, emptyApp } from '../../store/sandbox/app-reset.ts';
import type { RequestLog } from '../../store/sandbox/request-log.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { noSuchApp, Refusal } from '../refusal.ts';
import { advanceInFlight } from './clock-lease.ts';

/** Transactions that delete batches of a large app, enough for 10 million rows. */
const deletionsMax = 500;

/** A round fails only if a concurrent call has locked rows that were written since the previous round. */
const roundsMax = 10;

export function reset({ database, clock }: Store, requestLog: RequestLog): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName }, recordAction }) => {
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    // Calls that this server has not yet written to the log are deleted too.
    await requestLog.flush();
    const inClock = (work: (transaction: Queryable) => Promise<boolean | RolledBack<boolean>>) =>
      database.transaction({ packageName }, async (transaction) => {
        const { locked, realNow } = await lockAppClock(transaction, { packageName, clock });
        return isAdvancing(locked, realNow) ? undefined : work(transaction);
      });
    // Recorded with the first deletion, since a later transaction may fail.
    let isRecorded = false;
    const deletePart = async (transaction: Queryable): Promise<boolean> => {
      const hasDeleted = await deletePartOfApp(transaction, packageName);
      if (hasDeleted && !isRecorded) await recordAction(transaction, packageName);
      return hasDeleted;
    };
    for (let part = 0; part < deletionsMax; part += 1) {
      const hasDeleted = await inClock(deletePart);
      if (hasDeleted === undefined) return new Refusal('conflict', advanceInFlight);
      if (!hasDeleted) break;
      isRecorded = true;
    }
    const empty = async (transaction: Queryable): Promise<boolean | RolledBack<boolean>> => {
      if (!(await emptyApp(transaction, packageName))) return new RolledBack(false);
      if (!isRecorded) await recordAction(transaction, packageName);
      return true;
    };
    for (let round = 0; round < roundsMax; round += 1) {
      const isEmpty = await inClock(empty);
      if (isEmpty === undefined) return new Refusal('conflict', advanceInFlight);
      if (isEmpty) return { status: 204 };
    }
    throw new Overloaded('The app is too busy to be reset.');
  });
}
