// Lists the changes of an app itself with their authors, newest first.

import { listChanges as operation } from '@opentill/contract/operator-api/listChanges.ts';
import Type from 'typebox';
import { findApp } from '../../store/apps/apps.ts';
import { listAppChanges } from '../../store/audit/app-changes.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchApp } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { pageToken } from '../page-token.ts';
import { Refusal } from '../refusal.ts';
import { nextPage, pageOfRows, requestedPage } from '../requested-page.ts';

const firstChangeOrder = 1;
const token = pageToken(
  Type.Object({
    changeOrder: Type.Integer({ minimum: firstChangeOrder, maximum: Number.MAX_SAFE_INTEGER }),
  }),
);

export function listChanges({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ path, query }) => {
    const { packageName } = path;
    const page = requestedPage(query, token);
    if (page instanceof Refusal) return page;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    const before = page.after?.changeOrder ?? Number.MAX_SAFE_INTEGER;
    const rows = await listAppChanges(database, { packageName, before, limit: page.limit + 1 });
    const { shown, next } = pageOfRows(rows, page.limit);
    const changes = shown.map(({ operationId, detail, madeAt, madeBy, requestId }) => ({
      operationId,
      detail,
      time: madeAt,
      madeBy,
      requestId,
    }));
    return answered(200, { changes, ...nextPage(next, token) });
  });
}
