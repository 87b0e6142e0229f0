// Lists the closed months of an app, after closing those that are over.

import { listStatements as operation } from '@opentill/contract/operator-api/listStatements.ts';
import { findApp } from '../../store/apps/apps.ts';
import { listClosedMonths, MonthPosition } from '../../store/months/closed-months.ts';
import { closeMonths } from '../../store/months/month-closing.ts';
import type { Store } from '../../store/store.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { noSuchApp } from '../refusal.ts';
import { closedStatement } from './statement-response.ts';

export function listStatements({ database, clock }: Store, ownTimeZone: string): OperatorHandler {
  return listHandler(operation, MonthPosition, async ({ path: { packageName } }, page) => {
    const queryable = database.scopedTo(packageName);
    if ((await findApp(queryable, packageName)) === undefined) return noSuchApp(packageName);
    await closeMonths({ database, clock, timeZone: ownTimeZone }, packageName);
    const { rows, next } = await listClosedMonths(queryable, { packageName }, page);
    return { statements: rows.map((row) => closedStatement(row, packageName)), next };
  });
}
