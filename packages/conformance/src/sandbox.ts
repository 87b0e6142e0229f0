// Creates the test data of checks in an OpenTill sandbox, with the token of the app.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { sizes } from '@opentill/contract/fields.ts';
import { createApp } from '@opentill/contract/operator-api/createApp.ts';
import { putProduct as putAppProduct } from '@opentill/contract/operator-api/putProduct.ts';
import { recordPurchase as recordAppPurchase } from '@opentill/contract/operator-api/recordPurchase.ts';
import type { Calls } from './calls.ts';
import type { Exchange } from './http-exchange.ts';
import { fieldsOf, isSuccess, responseText } from './http-response.ts';
import { inconclusive } from './verdict.ts';

const { advanceClock, getClock, putProduct, putToken, recordPurchase, voidPurchase } = developerApi;

const msPerDay = 86_400_000;

/** A subscription that started this long ago is in its second period, whatever the calendar. */
const renewedAfterDays = 40;

const coins = 'conformance.coins';
const monthly = 'conformance.monthly';

export type Sandbox = ReturnType<typeof openSandbox>;

/** Each method throws Inconclusive if the sandbox rejects the call. */
export function openSandbox({ call }: Calls) {
  const run = async (operation: Parameters<Calls['call']>[0], path = {}, body?: object) => {
    const changes = body === undefined ? { headers: { 'content-type': undefined } } : { body };
    const response = await call(operation, path, changes);
    if (!isSuccess(response)) inconclusive(`The sandbox rejected a call. ${responseText(response)}`);
    return fieldsOf(response);
  };
  const record = async (type: 'oneTime' | 'subscription', productId: string, purchase = {}) => {
    await run(putProduct, { productId }, { type, price: 100, currency: 'EUR' });
    const { purchaseId } = await run(recordPurchase, {}, { productId, ...purchase });
    return { purchaseId: String(purchaseId) };
  };
  /** Returns the time of the app in ms. */
  const now = async () => Number((await run(getClock))['now']);
  return {
    now,
    recordPurchase: async () => ({ ...(await record('oneTime', coins)), productId: coins }),
    /** Records a purchase whose productId and developerPayload have the maximum size. */
    recordLarge: async () => {
      const productId = 'conformance.'.padEnd(sizes.productId, 'x');
      const developerPayload = 'payload:'.padEnd(sizes.developerPayload, '0123456789');
      return { ...(await record('oneTime', productId, { developerPayload })), productId, developerPayload };
    },
    recordSubscription: () => record('subscription', monthly),
    /** Records a subscription that has been paid for more than one period. */
    recordRenewed: async () => {
      const purchaseTime = (await now()) - renewedAfterDays * msPerDay;
      const subscription = await record('subscription', monthly, { purchaseTime });
      await run(advanceClock, {}, { by: 'PT0S' });
      return subscription;
    },
    /** Records and voids purchases, enough for several pages. */
    recordVoided: async () => {
      const first = await record('oneTime', coins);
      const others = [await record('oneTime', coins), await record('oneTime', coins)];
      for (const purchase of [first, ...others]) await run(voidPurchase, purchase);
      // The current time must be after the voids, even if the clock of the app is frozen.
      await run(advanceClock, {}, { by: 'PT1S' });
      return first;
    },
    /** Sets the remaining lifetime of the newest token in seconds. */
    shortenToken: (expiresIn: number) => run(putToken, {}, { expiresIn }),
  };
}

export interface Operator {
  /** Scheme, host and port of the operator listener. */
  readonly origin: string;
  readonly key: string;
}

export interface OtherPurchase {
  readonly packageName: string;
  readonly purchaseId: string;
}

const otherApp = 'conformance.other';
const conflict = 409;

/** Creates a second app with an unconsumed purchase, unless an earlier run has. */
export async function recordOtherPurchase({ key }: Operator, exchange: Exchange): Promise<OtherPurchase> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const run = async ({ method, path }: { method: string; path: string }, sent: object) => {
    const filled = path.replace(':packageName', otherApp).replace(':productId', coins);
    const response = await exchange({ method, path: filled, headers, body: JSON.stringify(sent) });
    const isThere = path === createApp.path && response.status === conflict;
    if (!isSuccess(response) && !isThere) {
      inconclusive(`The operator listener rejected a call. ${responseText(response)}`);
    }
    return fieldsOf(response);
  };
  await run(createApp, { packageName: otherApp });
  await run(putAppProduct, { type: 'oneTime', price: 100, currency: 'EUR' });
  const { purchaseId } = await run(recordAppPurchase, { productId: coins, orderId: otherApp });
  return { packageName: otherApp, purchaseId: String(purchaseId) };
}
