// Cancels the auto-payment of a subscription on behalf of the customer or the store, or until the customer consents.

import { cancelSubscription as operation } from '@opentill/contract/operator-api/cancelSubscription.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { givenReason } from '../purchases/purchase-response.ts';
import { Refusal, refuseValue } from '../refusal.ts';
import { changeSubscription } from './change-auto-payment.ts';

export function cancelSubscription(store: Store): OperatorHandler {
  return operatorHandler(operation, async ({ path, body, author, recordAction }) => {
    if (body.consent !== undefined) {
      if (body.reason === 'customer') {
        return refuseValue('invalidRequest', '/reason', 'expected system with consent, got customer');
      }
      return changeSubscription(store, path, { action: 'ask', author, recordAction });
    }
    const reason = givenReason(body, 'customer');
    if (reason instanceof Refusal) return reason;
    return changeSubscription(store, path, { action: 'cancel', reason, author, recordAction });
  });
}
