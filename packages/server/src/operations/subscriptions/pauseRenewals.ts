// Pauses the renewals of the store or of one app, and waits for transactions that began renewals before.

import { pauseRenewals as operation } from '@opentill/contract/operator-api/pauseRenewals.ts';
import { wholeStore } from '../../domain/identifiers.ts';
import type { Store } from '../../store/store.ts';
import { awaitBegun, pauseRenewals as startPause } from '../../store/subscriptions/renewal-pauses.ts';
import { type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { changePause } from './change-pause.ts';

export function pauseRenewals(store: Store): OperatorHandler {
  return operatorHandler(operation, async (call) => {
    const { author, body } = call;
    const { clock } = store;
    const paused = await changePause(store, call, async (transaction, packageName) => {
      const { realNow: pausedAt } = await clock.read(transaction, packageName);
      const pause = { pausedAt, pausedBy: author.madeBy, reason: body.note ?? null };
      return startPause(transaction, packageName, pause);
    });
    await awaitBegun(store.database, body.packageName ?? wholeStore);
    return paused;
  });
}
