// Reads whether renewals of the store or of one app are paused, and what is due.

import { getRenewals as operation } from '@opentill/contract/operator-api/getRenewals.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchApp } from '../refusal.ts';
import { readRenewals } from './read-renewals.ts';

export function getRenewals(store: Store): OperatorHandler {
  return operatorHandler(operation, async ({ query: { packageName } }) => {
    const renewals = await readRenewals(store, packageName);
    return renewals === undefined ? noSuchApp(packageName ?? '') : responded(200, renewals);
  });
}
