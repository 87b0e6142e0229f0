// Lists what falls due next by the clock of an app.

import { listUpcoming as operation } from '@opentill/contract/operator-api/listUpcoming.ts';
import { findApp } from '../../store/apps/apps.ts';
import { listStops } from '../../store/sandbox/upcoming-stops.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchApp } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';

export function listUpcoming({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName }, query: { until }, now }) => {
    const queryable = database.scopedTo(packageName);
    if ((await findApp(queryable, packageName)) === undefined) return noSuchApp(packageName);
    return answered(200, { now, stops: await listStops(queryable, packageName, until) });
  });
}
