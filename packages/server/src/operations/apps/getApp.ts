// Reads one app.

import { getApp as operation } from '@opentill/contract/operator-api/getApp.ts';
import { findApp } from '../../store/apps/apps.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchApp } from '../refusal.ts';
import { appResponse } from './responses.ts';

export function getApp({ database }: Store): OperatorHandler {
  return operatorHandler(operation, async ({ path }) => {
    const app = await findApp(database, path.packageName);
    return app === undefined ? noSuchApp(path.packageName) : responded(200, appResponse(app));
  });
}
