// Creates a new client secret for an app; the previous secret stays valid for a while.

import { keepPreviousSeconds } from '@opentill/contract/limits.ts';
import { rotateClientSecret as operation } from '@opentill/contract/operator-api/rotateClientSecret.ts';
import { replaceClientSecret } from '../../store/apps/apps.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchApp } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { newClientSecret } from './new-client-secret.ts';

export function rotateClientSecret({
  store: { database },
  randomness,
}: Uses<'store' | 'randomness'>): OperatorHandler {
  return operatorHandler(operation, async ({ path, body, realNow, recordAction }) => {
    const { packageName } = path;
    const keepSeconds = body.keepPreviousForSeconds ?? keepPreviousSeconds.default;
    const previousUntil = keepSeconds === 0 ? null : realNow + keepSeconds * 1000;
    const { clientSecret, hash } = newClientSecret(randomness);
    const app = await database.transaction({ packageName, record: 'app' }, async (transaction) => {
      const updated = await replaceClientSecret(transaction, { packageName, hash, previousUntil });
      if (updated === undefined) return undefined;
      const detail = `the previous secret stays valid for ${keepSeconds} seconds`;
      await recordAction(transaction, packageName, detail);
      return updated;
    });
    if (app === undefined) return noSuchApp(packageName);
    return answered(201, { clientId: app.clientId, clientSecret });
  });
}
