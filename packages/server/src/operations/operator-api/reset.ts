// Makes an app as good as new: what happened in it is gone, who may call it and what it sells stays
// (docs/decisions/reset.md).

import { reset as operation } from '@opentill/contract/operator-api/reset.ts';
import { isAdvancing } from '../../domain/app-clock.ts';
import { appendAppChange } from '../../store/app-changes.ts';
import { holdAppClock } from '../../store/app-clocks.ts';
import { emptyApp } from '../../store/app-reset.ts';
import { findApp } from '../../store/apps.ts';
import type { Database } from '../../store/database.ts';
import type { RequestLog } from '../../store/request-log.ts';
import { clockRecord } from '../clock-lease.ts';
import { advanceUnderWay } from './advanceClock.ts';
import { noSuchApp } from './missing.ts';
import { type OperatorHandler, operatorHandler } from './operator-handler.ts';

export function reset(database: Database, requestLog: RequestLog): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName }, realNow, author }) => {
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    // What this server has yet to write of the log goes with the rest.
    await requestLog.flush();
    const isReset = await database.transaction({ packageName, record: clockRecord }, async (transaction) => {
      const clock = await holdAppClock(transaction, { packageName, realNow });
      if (isAdvancing(clock, realNow)) return false;
      await emptyApp(transaction, packageName);
      const change = { operationId: operation.operationId, detail: 'the app is empty', madeAt: realNow };
      await appendAppChange(transaction, packageName, change, author);
      return true;
    });
    return isReset ? { status: 204 } : { problem: 'conflict', detail: advanceUnderWay };
  });
}
