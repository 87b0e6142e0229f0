// Lists the apps of the store, by package name.

import { ListedApp, listApps as operation } from '@opentill/contract/operator-api/listApps.ts';
import { AppPosition, listApps as readPage } from '../../store/apps/apps.ts';
import { findEventOrders } from '../../store/events/event-slices.ts';
import type { Store } from '../../store/store.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { shown } from '../shown.ts';

export function listApps({ database }: Store): OperatorHandler {
  return listHandler(operation, AppPosition, async ({ query }, page) => {
    const { rows, next } = await readPage(database, query, page);
    const names = rows.map(({ packageName }) => packageName);
    const orders = await findEventOrders(database.storeWide, names);
    const apps = rows.map((row) =>
      shown(ListedApp, {
        ...row,
        disabled: row.disabledAt !== null,
        eventOrder: orders.get(row.packageName) ?? 0,
      }),
    );
    return { apps, next };
  });
}
