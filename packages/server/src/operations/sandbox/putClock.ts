// Runs the clock of an app at a rate or freezes it, from its current time on.

import { clockRate } from '@opentill/contract/fields.ts';
import { putClock as operation } from '@opentill/contract/operator-api/putClock.ts';
import { isAdvancing, setAppClock } from '../../domain/sandbox/app-clock.ts';
import { findApp } from '../../store/apps/apps.ts';
import { lockAppClockToSet, updateAppClock } from '../../store/sandbox/app-clocks.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchApp, Refusal } from '../refusal.ts';
import { advanceInFlight } from './clock-lease.ts';
import { clockResponse } from './responses.ts';

export function putClock({ database, clock }: Store): OperatorHandler {
  return operatorHandler(operation, async ({ path, body, recordAction }) => {
    const { packageName } = path;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    const { mode, rate = clockRate.default } = body;
    return database.transaction({ packageName }, async (transaction) => {
      const { locked, realNow } = await lockAppClockToSet(transaction, { packageName, clock });
      if (isAdvancing(locked, realNow)) return new Refusal('conflict', advanceInFlight);
      const set = setAppClock(locked, { mode, rate, realNow });
      const changed = { ...set, advanceTo: null, leaseHolder: null, leaseUntil: null };
      await updateAppClock(transaction, packageName, changed);
      await recordAction(transaction, packageName, { mode, rate });
      return responded(200, clockResponse(changed, realNow));
    });
  });
}
