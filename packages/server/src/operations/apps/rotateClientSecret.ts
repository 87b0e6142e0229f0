// Creates a new client secret for an app; the previous secret stays valid for a while.

import { keepPreviousSeconds } from '@opentill/contract/limits.ts';
import { rotateClientSecret as operation } from '@opentill/contract/operator-api/rotateClientSecret.ts';
import { secondMs } from '../../domain/time.ts';
import {
  clientSecretBytes,
  encodeClientSecret,
  hashClientSecret,
} from '../../domain/tokens/client-secret.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import { lockApp, replaceClientSecret } from '../../store/apps/apps.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchApp } from '../refusal.ts';
import { refuseOldSecret, refuseRotation } from '../secret-rotation.ts';

export function rotateClientSecret({ database, clock }: Store, randomness: Randomness): OperatorHandler {
  return operatorHandler(operation, async ({ path, body, clientSecret: sent, recordAction }) => {
    const { packageName } = path;
    const keepSeconds = body.keepPreviousForSeconds ?? keepPreviousSeconds.default;
    const clientSecret = encodeClientSecret(randomness.bytes(clientSecretBytes));
    const hash = hashClientSecret(clientSecret);
    return database.transaction({ packageName }, async (transaction) => {
      const forbidden = await refuseOldSecret(transaction, packageName, sent);
      if (forbidden !== undefined) return forbidden;
      const app = await lockApp(transaction, packageName);
      if (app === undefined) return noSuchApp(packageName);
      const { realNow } = await clock.read(transaction, packageName);
      const previousUntil = keepSeconds === 0 ? null : realNow + keepSeconds * secondMs;
      const refusal = refuseRotation({
        ...{ keepSeconds, previousUntil: app.previousClientSecretUntil, realNow, force: body.force },
      });
      if (refusal !== undefined) return refusal;
      await replaceClientSecret(transaction, { packageName, hash, previousUntil });
      await recordAction(transaction, packageName, { keepPreviousForSeconds: keepSeconds });
      return responded(201, { clientId: app.clientId, clientSecret });
    });
  });
}
