// Lists who changed what, why, and with which outcome, newest first.

import type { Action } from '@opentill/contract/actions.ts';
import { listActions as operation } from '@opentill/contract/operator-api/listActions.ts';
import { ActionPosition, type ActionRow, noApp, listActions as readPage } from '../../store/audit/actions.ts';
import type { Uses } from '../handler-options.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';

export function listActions({ store: { database } }: Uses<'store'>): OperatorHandler {
  return listHandler(operation, ActionPosition, async ({ query }, page) => {
    const { rows, next } = await readPage(database.scopedTo(query.packageName), query, page);
    return { actions: rows.map(shownAction), next };
  });
}

function shownAction({ hash, isImported, ...row }: ActionRow): Action {
  const present = Object.entries(row).filter(([, value]) => value !== null && value !== noApp);
  return {
    ...(Object.fromEntries(present) as Omit<Action, 'hash' | 'isImported'>),
    hash: hash.toString('hex'),
    ...(isImported && { isImported }),
  };
}
