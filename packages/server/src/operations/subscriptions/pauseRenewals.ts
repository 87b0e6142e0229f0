// Pauses the renewals of the store or of one app.

import { pauseRenewals as operation } from '@opentill/contract/operator-api/pauseRenewals.ts';
import { pauseRenewals as startPause } from '../../store/subscriptions/renewal-pauses.ts';
import type { Uses } from '../handler-options.ts';
import { type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { changePause } from './change-pause.ts';

export function pauseRenewals(options: Uses<'store' | 'settling'>): OperatorHandler {
  return operatorHandler(operation, (call) => {
    const { realNow: pausedAt, author, body } = call;
    const pause = { pausedAt, pausedBy: author.madeBy, reason: body.note ?? null };
    return changePause(options, call, (transaction, packageName) =>
      startPause(transaction, packageName, pause),
    );
  });
}
