// Lists who changed what, why, and with which outcome, newest first.

import type { Action } from '@opentill/contract/actions.ts';
import { PackageName, Timestamp } from '@opentill/contract/fields.ts';
import { listActions as operation } from '@opentill/contract/operator-api/listActions.ts';
import Type from 'typebox';
import { type ActionRow, listActions as listRows, noApp } from '../../store/audit/actions.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { pageToken } from '../page-token.ts';
import { Refusal } from '../refusal.ts';
import { nextPage, pageOfRows, requestedPage } from '../requested-page.ts';

const token = pageToken(
  Type.Object({
    time: Timestamp,
    packageName: Type.Union([PackageName, Type.Literal(noApp)]),
    order: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  }),
);

export function listActions({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ query }) => {
    const page = requestedPage(query, token);
    if (page instanceof Refusal) return page;
    const rows = await listRows(database.scopedTo(query.packageName), query, {
      after: page.after,
      limit: page.limit + 1,
    });
    const { items, next } = pageOfRows(rows, page.limit);
    return answered(200, { actions: items.map(shownAction), ...nextPage(next, token) });
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
