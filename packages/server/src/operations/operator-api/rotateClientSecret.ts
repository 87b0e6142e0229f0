// Makes a new client secret for an app and lets the one before live on for a while.

import {
  keepPreviousSeconds,
  rotateClientSecret as operation,
} from '@opentill/contract/operator-api/rotateClientSecret.ts';
import { encodeClientSecret, hashClientSecret } from '../../domain/client-secret.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import { appendAppChange } from '../../store/app-changes.ts';
import { replaceClientSecret } from '../../store/apps.ts';
import type { Database } from '../../store/database.ts';
import { noSuchApp } from './missing.ts';
import { type OperatorHandler, operatorHandler } from './operator-handler.ts';

const clientSecretBytes = 32;

export function rotateClientSecret(database: Database, randomness: Randomness): OperatorHandler {
  return operatorHandler(operation, async ({ path, body, now, author }) => {
    const { packageName } = path;
    const keepSeconds = body.keepPreviousForSeconds ?? keepPreviousSeconds.default;
    const previousUntil = keepSeconds === 0 ? null : now + keepSeconds * 1000;
    const clientSecret = encodeClientSecret(randomness.bytes(clientSecretBytes));
    const hash = hashClientSecret(clientSecret);
    const app = await database.transaction(async (transaction) => {
      const updated = await replaceClientSecret(transaction, { packageName, hash, previousUntil });
      if (updated === undefined) return undefined;
      const detail = `the secret before stays good for ${keepSeconds} seconds`;
      const change = { operationId: operation.operationId, detail, madeAt: now };
      await appendAppChange(transaction, packageName, change, author);
      return updated;
    });
    if (app === undefined) return noSuchApp(packageName);
    return { status: 201, body: { clientId: app.clientId, clientSecret } };
  });
}
