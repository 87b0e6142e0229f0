// Lists the apps of the store, by package name.

import { listApps as operation } from '@opentill/contract/operator-api/listApps.ts';
import { AppPosition, listApps as readPage } from '../../store/apps/apps.ts';
import type { Store } from '../../store/store.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { appResponse } from './responses.ts';

export function listApps({ database }: Store): OperatorHandler {
  return listHandler(operation, AppPosition, async ({ query }, page) => {
    const { rows, next } = await readPage(database, query, page);
    return { apps: rows.map(appResponse), next };
  });
}
