// Ends the pause of the store or of one app, and the hold of a clock that an operator has checked.

import { resumeRenewals as operation } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { wholeStore } from '../../domain/identifiers.ts';
import { replaceClockMark } from '../../store/clocks/clock-mark.ts';
import type { Store } from '../../store/store.ts';
import { resumeRenewals as endPause } from '../../store/subscriptions/renewal-pauses.ts';
import { type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { changePause } from './change-pause.ts';

export function resumeRenewals(store: Store): OperatorHandler {
  const { clock } = store;
  return operatorHandler(operation, (call) =>
    changePause(store, call, async (transaction, packageName) => {
      const isEnded = await endPause(transaction, packageName);
      const { hold, databaseNow } = await clock.read(transaction, packageName);
      if (packageName !== wholeStore || hold === undefined) return isEnded;
      await replaceClockMark(transaction, databaseNow);
      return true;
    }),
  );
}
