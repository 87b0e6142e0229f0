// A subscription to read, a renewed one, and the responses to cancelling and reactivating the first.

import { getLastRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getLastRecurringPurchaseDetails.ts';
import { getRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import { manageRecurringPaymentStatus } from '@opentill/contract/purchase-api/manageRecurringPaymentStatus.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import { fieldsOf, responseText } from '../answer.ts';
import { found, missing, type Providers, provider } from '../evidence.ts';
import { givenOrMade } from './purchases.ts';

export const msPerDay = 86_400_000;

const sandboxProduct = { productId: 'conformance.monthly', type: 'subscription' } as const;

/** A subscription that started this long ago is in its second month, whatever the calendar. */
const renewedAfterDays = 40;

export const subscriptionProviders: Providers<'subscription' | 'renewedSubscription' | 'cancellation'> = {
  subscription: givenOrMade(
    'Needs --subscription',
    ({ subscription }) => subscription,
    (sandbox) => sandbox.record(sandboxProduct),
  ),
  renewedSubscription: provider(['sandbox'], async ({ sandbox }) => {
    const purchaseTime = (await sandbox.now()) - renewedAfterDays * msPerDay;
    const purchaseId = await sandbox.record({ ...sandboxProduct, purchaseTime });
    await sandbox.advance('PT0S');
    return found(purchaseId);
  }),
  cancellation: provider(['caller', 'subscription'], async ({ caller, subscription: purchaseId }) => {
    const read = (operation: PurchaseOperation) => caller.call(operation, { path: { purchaseId } });
    const before = await read(getRecurringPurchaseDetails);
    if (fieldsOf(before)['autoRenewing'] !== true) {
      return missing(`The auto-payment of the subscription is not active. ${responseText(before)}`);
    }
    const change = (action: string, method?: string) =>
      caller.call(manageRecurringPaymentStatus, { path: { purchaseId, action }, ...(method && { method }) });
    const byGet = await change('cancel', 'GET');
    const cancelled = await change('cancel');
    const details = await read(getRecurringPurchaseDetails);
    const lastDetails = await read(getLastRecurringPurchaseDetails);
    const reactivated = await change('reactivate');
    return found({
      subscription: purchaseId,
      byGet,
      cancelled,
      details,
      lastDetails,
      reactivated,
    });
  }),
};
