// Purchases in a known state: from the options of the run, or created in a sandbox.

import { sizes } from '@opentill/contract/fields.ts';
import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { isSuccess, responseText } from '../answer.ts';
import { type Found, found, missing, type Provider, type Providers, provider } from '../evidence.ts';
import { NotSettled } from '../not-settled.ts';
import type { Sandbox } from '../sandbox.ts';
import type { KnownRecords } from '../target.ts';

export const sandboxCoins = { productId: 'conformance.coins', type: 'one_time' } as const;
/** An id that no purchase has. */
export const unknownPurchase = 'NO-SUCH-PURCHASE'.padEnd(sizes.purchaseId, '-');

const largeProductId = 'conformance.'.padEnd(sizes.productId, 'x');
const largePayload = 'payload:'.padEnd(sizes.developerPayload, '0123456789');

export const purchaseProviders: Providers<
  | 'unconsumedPurchase'
  | 'soldPurchase'
  | 'consumablePurchase'
  | 'contestedPurchase'
  | 'consumedPurchase'
  | 'otherPurchase'
  | 'largePurchase'
> = {
  unconsumedPurchase: givenOrMade(
    'Needs --unconsumed-purchase',
    ({ unconsumedPurchases = [] }) => unconsumedPurchases[0],
    (sandbox) => sandbox.record(sandboxCoins),
  ),
  soldPurchase: givenOrMade(
    'Needs --unconsumed-purchase with its --product-id',
    ({ unconsumedPurchases: [purchaseId] = [], productId }) =>
      purchaseId !== undefined && productId !== undefined ? { purchaseId, productId } : undefined,
    async (sandbox) => {
      const purchaseId = await sandbox.record(sandboxCoins);
      return { purchaseId, productId: sandboxCoins.productId };
    },
  ),
  consumablePurchase: givenOrMade(
    'Needs --unconsumed-purchase',
    ({ unconsumedPurchases = [] }) => unconsumedPurchases[0],
    (sandbox) => sandbox.record(sandboxCoins),
  ),
  contestedPurchase: givenOrMade(
    'Needs --unconsumed-purchase with a second id',
    ({ unconsumedPurchases = [] }) => unconsumedPurchases[1],
    (sandbox) => sandbox.record(sandboxCoins),
  ),
  consumedPurchase: provider([], async (_, { target, usesSandbox, find }) => {
    const { consumedPurchase } = target.known ?? {};
    if (consumedPurchase !== undefined) return found(consumedPurchase);
    if (!usesSandbox) return missing('Needs --consumed-purchase, or --sandbox.');
    const [sandbox, caller] = [await find('sandbox'), await find('caller')];
    if ('missing' in sandbox) return sandbox;
    if ('missing' in caller) return caller;
    const purchaseId = await sandbox.found.record(sandboxCoins);
    const answer = await caller.found.call(consumePurchase, { path: { purchaseId } });
    if (!isSuccess(answer)) throw new NotSettled(`A purchase was not consumed. ${responseText(answer)}`);
    return found(purchaseId);
  }),
  otherPurchase: provider([], (_, { target }) => {
    const { otherApp } = target.known ?? {};
    return otherApp === undefined ? missing('Needs --other-package and --other-purchase.') : found(otherApp);
  }),
  largePurchase: provider(['sandbox'], async ({ sandbox }) => {
    const content = { productId: largeProductId, developerPayload: largePayload };
    const purchaseId = await sandbox.record({ ...content, type: 'one_time' });
    return found({ purchaseId, ...content });
  }),
};

/** Returns the value from the options of the run, or else creates one in the sandbox. */
export function givenOrMade<T>(
  needs: string,
  given: (known: KnownRecords) => T | undefined,
  make: (sandbox: Sandbox) => Promise<T>,
): Provider<T> {
  return provider([], async (_, { target, usesSandbox, find }): Promise<Found<T>> => {
    const known = given(target.known ?? {});
    if (known !== undefined) return found(known);
    if (!usesSandbox) return missing(`${needs}, or --sandbox.`);
    const sandbox = await find('sandbox');
    return 'missing' in sandbox ? sandbox : found(await make(sandbox.found));
  });
}
