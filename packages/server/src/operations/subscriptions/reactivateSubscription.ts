// Turns the auto-payment of a subscription on again while its current period lasts.

import { reactivateSubscription as operation } from '@opentill/contract/operator-api/reactivateSubscription.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { changeSubscription } from './change-auto-payment.ts';

export function reactivateSubscription(store: Store): OperatorHandler {
  return operatorHandler(operation, ({ path, body: { consent }, author, recordAction }) =>
    changeSubscription(store, path, { action: 'reactivate', by: 'store', consent, author, recordAction }),
  );
}
