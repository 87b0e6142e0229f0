// Changes the name of an app, and whether it can get and use tokens.

import type { ActionDetail } from '@opentill/contract/actions.ts';
import { updateApp as operation } from '@opentill/contract/operator-api/updateApp.ts';
import { type App, lockApp, updateApp as updateAppRow } from '../../store/apps/apps.ts';
import type { DatedStore } from '../../store/clocks/store-clock.ts';
import type { Store } from '../../store/store.ts';
import { expelTokens } from '../../store/tokens/access-tokens.ts';
import { type CallOf, type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchApp } from '../refusal.ts';
import { appResponse } from './responses.ts';

type Call = CallOf<typeof operation>;

export function updateApp(store: Store): OperatorHandler {
  return operatorHandler(operation, async (call) => {
    const { packageName } = call.path;
    const app = await writeSettings(store, call);
    if (app === undefined) return noSuchApp(packageName);
    store.apps.invalidate(packageName);
    return responded(200, appResponse(app));
  });
}

/**
 * Settings that already have the requested values are not written and not logged as a change. Disabling an app expels
 * its tokens, so that they stay invalid when it is enabled again.
 */
function writeSettings({ database, clock }: DatedStore, call: Call): Promise<App | undefined> {
  const { packageName } = call.path;
  return database.transaction({ packageName }, async (transaction) => {
    const app = await lockApp(transaction, packageName);
    if (app === undefined) return undefined;
    const { realNow } = await clock.read(transaction, packageName);
    const wanted = wantedSettings(app, { body: call.body, realNow });
    const detail = changeOf(app, wanted);
    if (Object.keys(detail).length === 0) return app;
    const updated = await updateAppRow(transaction, { packageName, ...wanted });
    if (app.disabledAt === null && wanted.disabledAt !== null) await expelTokens(transaction, packageName);
    await call.recordAction(transaction, packageName, detail);
    return updated;
  });
}

type Settings = Pick<App, 'name' | 'disabledAt'>;

/** An app that is already disabled keeps its time. */
function wantedSettings(app: App, { body, realNow }: Pick<Call, 'body' | 'realNow'>): Settings {
  const disabled = body.disabled ?? app.disabledAt !== null;
  return {
    name: body.name === undefined ? app.name : body.name,
    disabledAt: disabled ? (app.disabledAt ?? realNow) : null,
  };
}

function changeOf(before: Settings, after: Settings): ActionDetail {
  return {
    ...(before.name !== after.name && { name: after.name, previousName: before.name }),
    ...(before.disabledAt !== after.disabledAt && { disabled: after.disabledAt !== null }),
  };
}
