// Ends the pause of the store or of one app.

import { resumeRenewals as operation } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { resumeRenewals as endPause } from '../../store/subscriptions/renewal-pauses.ts';
import type { Uses } from '../handler-options.ts';
import { type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { changePause } from './change-pause.ts';

export function resumeRenewals(options: Uses<'store' | 'settling'>): OperatorHandler {
  return operatorHandler(operation, (call) =>
    changePause(options, call, (transaction, packageName) =>
      endPause(transaction, packageName, call.realNow),
    ),
  );
}
