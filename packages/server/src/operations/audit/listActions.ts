// Lists who changed what and why, newest first.

import { Action } from '@opentill/contract/actions.ts';
import { listActions as operation } from '@opentill/contract/operator-api/listActions.ts';
import { wholeStore } from '../../domain/identifiers.ts';
import { ActionPosition, type ActionRow, listActions as readPage } from '../../store/audit/actions.ts';
import type { Store } from '../../store/store.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { shown } from '../shown.ts';

export function listActions({ database }: Store): OperatorHandler {
  return listHandler(operation, ActionPosition, async ({ query }, page) => {
    const { rows, next } = await readPage(database.scopedTo(query.packageName), query, page);
    return { actions: rows.map(actionResponse), next };
  });
}

function actionResponse(row: ActionRow): Action {
  const { packageName, isImported } = row;
  return shown(Action, {
    ...row,
    packageName: packageName === wholeStore ? null : packageName,
    isImported: isImported || null,
  });
}
