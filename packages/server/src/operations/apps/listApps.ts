// Lists the apps of the store, by package name.

import { listApps as operation } from '@opentill/contract/operator-api/listApps.ts';
import { AppPosition, listApps as readPage } from '../../store/apps/apps.ts';
import type { Uses } from '../handler-options.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { appResponse } from './responses.ts';

export function listApps({ store: { database } }: Uses<'store'>): OperatorHandler {
  return listHandler(operation, AppPosition, async ({ query }, page) => {
    const { rows, next } = await readPage(database, query, page);
    return { apps: rows.map(appResponse), next };
  });
}
