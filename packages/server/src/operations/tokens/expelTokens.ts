// Invalidates every access token of an app.

import { expelTokens as operation } from '@opentill/contract/operator-api/expelTokens.ts';
import { findApp } from '../../store/apps/apps.ts';
import type { Store } from '../../store/store.ts';
import { expelTokens as raiseGeneration } from '../../store/tokens/access-tokens.ts';
import { type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { noSuchApp, Refusal } from '../refusal.ts';
import { refuseOldSecret } from '../secret-rotation.ts';

export function expelTokens({ database, apps }: Store): OperatorHandler {
  return operatorHandler(operation, async ({ path, clientSecret, recordAction }) => {
    const { packageName } = path;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    const generation = await database.transaction({ packageName }, async (transaction) => {
      const forbidden = await refuseOldSecret(transaction, packageName, clientSecret);
      if (forbidden !== undefined) return forbidden;
      const raised = await raiseGeneration(transaction, packageName);
      if (raised === undefined) return undefined;
      await recordAction(transaction, packageName, { generation: raised });
      return raised;
    });
    if (generation instanceof Refusal) return generation;
    if (generation === undefined) {
      const detail = `App ${packageName} has no token generations left: create a new app.`;
      return new Refusal('conflict', detail);
    }
    apps.invalidate(packageName);
    return { status: 204 };
  });
}
