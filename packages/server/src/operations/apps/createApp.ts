// Creates an app and its first client secret, of which only the hash is stored.

import { createApp as operation } from '@opentill/contract/operator-api/createApp.ts';
import { NewApp } from '@opentill/contract/operator-resources.ts';
import {
  clientSecretBytes,
  encodeClientSecret,
  hashClientSecret,
} from '../../domain/tokens/client-secret.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import { type App, appClash, insertApp } from '../../store/apps/apps.ts';
import type { Database } from '../../store/connection/database.ts';
import type { Store } from '../../store/store.ts';
import { type CallOf, type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { Refusal, refuseValue } from '../refusal.ts';
import { shown } from '../shown.ts';

/** With a million apps, one draw in four thousand collides, so this many draws do not all fail. */
const appNumberDrawsMax = 8;

export function createApp({ database }: Store, randomness: Randomness): OperatorHandler {
  return operatorHandler(operation, async (call) => {
    const clientSecret = encodeClientSecret(randomness.bytes(clientSecretBytes));
    const clientSecretHash = hashClientSecret(clientSecret);
    const app = await insertWithFreeNumber(database, randomness, { call, clientSecretHash });
    if (app instanceof Refusal) return app;
    return responded(201, shown(NewApp, { ...app, clientSecret }));
  });
}

async function insertWithFreeNumber(
  database: Database,
  randomness: Randomness,
  { call, clientSecretHash }: { call: CallOf<typeof operation>; clientSecretHash: Buffer },
): Promise<App | Refusal<'conflict'>> {
  const { packageName, clientId = packageName, name = null } = call.body;
  for (let draw = 0; draw < appNumberDrawsMax; draw += 1) {
    const appNumber = randomness.uint32();
    const newApp = { packageName, clientId, appNumber, name, clientSecretHash, createdAt: call.realNow };
    try {
      return await database.transaction({ packageName }, async (transaction) => {
        const app = await insertApp(transaction, newApp);
        await call.recordAction(transaction, packageName, { clientId });
        return app;
      });
    } catch (error) {
      const clash = appClash(error);
      if (clash === undefined) throw error;
      if (clash !== 'appNumber') return alreadyTaken(clash, call.body[clash] ?? packageName);
    }
  }
  throw new Error(`Each of ${appNumberDrawsMax} drawn app numbers was taken.`);
}

function alreadyTaken(field: 'packageName' | 'clientId', value: string): Refusal<'conflict'> {
  const message = `expected a ${field} that no other app has, got ${value}`;
  return refuseValue('conflict', `/${field}`, message);
}
