// Lists the apps of the store, by package name.

import { PackageName } from '@opentill/contract/fields.ts';
import { listApps as operation } from '@opentill/contract/operator-api/listApps.ts';
import Type from 'typebox';
import { listApps as selectApps } from '../../store/apps/apps.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { pageToken } from '../page-token.ts';
import { Refusal } from '../refusal.ts';
import { nextPage, pageOfRows, requestedPage } from '../requested-page.ts';
import { appResponse } from './app-response.ts';

const token = pageToken(Type.Object({ packageName: PackageName }));

export function listApps({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ query }) => {
    const page = requestedPage(query, token);
    if (page instanceof Refusal) return page;
    const after = page.after?.packageName ?? '';
    const { containing } = query;
    const rows = await selectApps(database, { after, limit: page.limit + 1, containing });
    const { items, next } = pageOfRows(rows, page.limit);
    return answered(200, { apps: items.map(appResponse), ...nextPage(next, token) });
  });
}
