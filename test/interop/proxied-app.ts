// An app of a store behind a proxy: the calls of its backend and of the store's checkout, and a load of them.

import { monotonicClock } from '../../packages/server/src/runtime/clock.ts';
import { adminKey } from '../support/harness.ts';
import { waitFor } from '../support/wait-for.ts';
import type { StartedProxy } from './proxied-store.ts';

const callers = 4;

/** Calls between two restarts. */
const callsBetween = 200;

const json = { 'content-type': 'application/json' };

export type ProxiedApp = Awaited<ReturnType<typeof createProxiedApp>>;

/** An app with a product. */
export async function createProxiedApp(
  { publicUrl, operatorUrl, send }: StartedProxy,
  packageName = 'com.example.game',
) {
  const operate = (method: string, path: string, body: object) =>
    send(`${operatorUrl}/operator/v1${path}`, {
      method,
      headers: { ...json, authorization: `Bearer ${adminKey}`, host: 'till.internal' },
      body: JSON.stringify(body),
    });
  const { clientId, clientSecret } = JSON.parse((await operate('POST', '/apps', { packageName })).text);
  await operate('PUT', `/apps/${packageName}/products/coins`, {
    type: 'oneTime',
    price: 1,
    currency: 'EUR',
  });
  const token = await send(`${publicUrl}/v2/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`,
  });
  const authorization = `Bearer ${JSON.parse(token.text).access_token}`;
  return {
    packageName,
    /** A call of the operator API. */
    operate,
    /** Records a purchase. */
    sell: (purchaseId: string) =>
      operate('POST', `/apps/${packageName}/purchases`, { productId: 'coins', purchaseId }),
    /** A call of the purchase API; the path precedes the package name. */
    call: (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
      send(`${publicUrl}/v2/purchase/${path}/${packageName}`, {
        method,
        headers: { ...json, authorization, ...headers },
      }),
  };
}

/** Sells, reads and consumes purchases until it ends; counts and times the calls, and lists those that failed. */
export function load({ sell, call }: ProxiedApp) {
  const failed: string[] = [];
  let calls = 0;
  let slowestMs = 0;
  let isOver = false;
  const expectResponse = async (expected: string, sent: Promise<{ status: number; text: string }>) => {
    calls += 1;
    const begun = monotonicClock.now();
    const got = await sent.then(
      ({ status, text }) => `${status} ${text}`,
      (error) => String(error),
    );
    slowestMs = Math.max(slowestMs, monotonicClock.now() - begun);
    if (!got.startsWith(expected)) failed.push(`expected ${expected}, got ${got}`);
  };
  const running = Array.from({ length: callers }, async (_, caller) => {
    for (let index = 0; !isOver; index += 1) {
      const id = `P-${caller}-${index}`;
      await expectResponse('201', sell(id));
      await expectResponse('200 {"consumptionState":0', call('GET', `details/${id}`));
      await expectResponse('200 {"consumptionState":1', call('POST', `consume/${id}`));
      await expectResponse('409 {"error":{"code":9201', call('POST', `consume/${id}`));
    }
  });
  return {
    /** What was expected and what came, of each failed call so far. */
    failed: failed as readonly string[],
    /** The time of the slowest call so far. */
    slowestMs: () => Math.round(slowestMs),
    /** Resolves after further calls. */
    async goOn(): Promise<void> {
      const enough = calls + callsBetween;
      await waitFor(() => calls >= enough, { what: 'a load that goes on' });
    },
    /** Counts another call, which has to get this response. */
    expectResponse,
    async end() {
      isOver = true;
      await Promise.all(running);
      return calls;
    },
  };
}
