// A valid call of each of the seven operations of the purchase API that need a token, for tests of their common properties.

import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { getLastRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getLastRecurringPurchaseDetails.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId } from '@opentill/contract/purchase-api/getPurchaseDetailsByProductId.ts';
import { getRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { manageRecurringPaymentStatus } from '@opentill/contract/purchase-api/manageRecurringPaymentStatus.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import { recordTestPurchase, type TestApp, type TestServer } from '../../../../test/support/harness.ts';

export interface GoodCall {
  readonly operationId: string;
  readonly operation: PurchaseOperation;
  /** Path values of a call that always succeeds; packageName is that of the app. */
  readonly path: Readonly<Record<string, string>>;
}

/** P-1 is a one-time purchase, S-1 starts a subscription. */
export const goodCalls: readonly GoodCall[] = [
  { operation: getPurchaseDetails, path: { purchaseId: 'P-1' } },
  { operation: getPurchaseDetailsByProductId, path: { purchaseId: 'P-1', productId: 'coins' } },
  { operation: getRecurringPurchaseDetails, path: { purchaseId: 'S-1' } },
  { operation: getLastRecurringPurchaseDetails, path: { purchaseId: 'S-1' } },
  { operation: manageRecurringPaymentStatus, path: { purchaseId: 'S-1', action: 'cancel' } },
  { operation: getVoidedPurchases, path: {} },
  { operation: consumePurchase, path: { purchaseId: 'P-1' } },
].map((call) => ({ operationId: call.operation.operationId, ...call }));

/** The records that the valid calls use. */
export async function recordGoodPurchases(server: TestServer, app: TestApp): Promise<void> {
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
  await recordTestPurchase(server, app, { purchaseId: 'S-1', productId: 'monthly' });
}
