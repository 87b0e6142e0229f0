// Reads the clock of an app, and what falls due next by it.

import { getClock as operation } from '@opentill/contract/operator-api/getClock.ts';
import { findApp } from '../../store/apps/apps.ts';
import { findAppClock } from '../../store/sandbox/app-clocks.ts';
import { listStops } from '../../store/sandbox/upcoming-stops.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchApp } from '../refusal.ts';
import { clockResponse } from './responses.ts';

export function getClock({ database }: Store): OperatorHandler {
  return operatorHandler(operation, async ({ path, realNow }) => {
    const { packageName } = path;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    const clock = clockResponse(await findAppClock(database, packageName), realNow);
    return responded(200, { ...clock, stops: await listStops(database.scopedTo(packageName), packageName) });
  });
}
