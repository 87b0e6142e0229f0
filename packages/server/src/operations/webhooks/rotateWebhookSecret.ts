// Creates a new secret for the webhook of an app; the previous secret also signs for a while.

import { keepPreviousSeconds } from '@opentill/contract/limits.ts';
import { rotateWebhookSecret as operation } from '@opentill/contract/operator-api/rotateWebhookSecret.ts';
import { secondMs } from '../../domain/time.ts';
import { formatWebhookSecret, generatedSecretBytes } from '../../domain/webhooks/webhook-signature.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Store } from '../../store/store.ts';
import { lockWebhook, updateWebhook } from '../../store/webhooks/webhooks.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchWebhook } from '../refusal.ts';
import { refuseOldSecret, refuseRotation } from '../secret-rotation.ts';

export function rotateWebhookSecret({ database }: Store, randomness: Randomness): OperatorHandler {
  return operatorHandler(operation, async (call) => {
    const { body, realNow, recordAction } = call;
    const { packageName } = call.path;
    const keepSeconds = body.keepPreviousForSeconds ?? keepPreviousSeconds.default;
    const secret = randomness.bytes(generatedSecretBytes);
    return database.transaction({ packageName }, async (transaction) => {
      const forbidden = await refuseOldSecret(transaction, packageName, call.clientSecret);
      if (forbidden !== undefined) return forbidden;
      const locked = await lockWebhook(transaction, packageName);
      if (locked === undefined) return noSuchWebhook(packageName);
      const refusal = refuseRotation({
        keepSeconds,
        previousUntil: locked.previousSecretUntil,
        realNow,
        force: body.force,
      });
      if (refusal !== undefined) return refusal;
      const previous =
        keepSeconds === 0
          ? { previousSecret: null, previousSecretUntil: null }
          : { previousSecret: locked.secret, previousSecretUntil: realNow + keepSeconds * secondMs };
      const rotated = { ...locked, ...previous, secret, updatedAt: realNow };
      const { previousSecretUntil } = await updateWebhook(transaction, rotated);
      await recordAction(transaction, packageName, { keepPreviousForSeconds: keepSeconds });
      return responded(201, {
        secret: formatWebhookSecret(secret),
        ...(previousSecretUntil !== null && { previousSecretUntil }),
      });
    });
  });
}
