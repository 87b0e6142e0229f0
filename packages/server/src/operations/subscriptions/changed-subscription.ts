// What cancelSubscription and reactivateSubscription answer: the subscription after the change, or why its
// state allows none.

import type { Subscription } from '@opentill/contract/operator-resources.ts';
import type { Database } from '../../store/connection/database.ts';
import { noSuchSubscription } from '../missing.ts';
import { answered, type ProblemAnswer } from '../operator-handler.ts';
import { type AutoPaymentChange, changeAutoPayment } from './change-auto-payment.ts';
import { readSubscription } from './read-subscription.ts';

interface SubscriptionKey {
  readonly packageName: string;
  readonly firstPurchaseId: string;
}

type ChangeAnswer =
  | { readonly status: 200; readonly body: Subscription }
  | ProblemAnswer<'notFound' | 'conflict'>;

/** Of a subscription that is named by its first purchase only. */
export async function changeSubscription(
  database: Database,
  key: SubscriptionKey,
  change: Omit<AutoPaymentChange, 'packageName' | 'purchaseId'>,
): Promise<ChangeAnswer> {
  const before = await readSubscription(database, key, change.now);
  if (before === undefined) return noSuchSubscription(key);
  const { packageName, firstPurchaseId } = key;
  const outcome = await changeAutoPayment(database, { packageName, purchaseId: firstPurchaseId, ...change });
  const body = outcome === 'missing' ? undefined : await readSubscription(database, key, change.now);
  // In the sandbox the app may have been emptied meanwhile.
  if (body === undefined) return noSuchSubscription(key);
  if (outcome === 'changed') return answered(200, body);
  const expected = expectedStates[change.action];
  const detail = `Cannot ${change.action} the subscription: expected the state ${expected}, got ${body.state}.`;
  return { problem: 'conflict', detail };
}

/** Both follow from decideCancel and decideReactivate. */
const expectedStates = {
  cancel: 'active or payment_outstanding',
  reactivate: 'auto_payment_off',
} as const;
