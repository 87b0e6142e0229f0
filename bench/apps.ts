// Creates the apps and purchases of a benchmark through the operator API, and builds the calls on them.

import { type LoadRequest, type LoadResult, runLoad } from './load.ts';
import { adminKey, type Listeners } from './servers.ts';

export const connections = 64;

export interface App {
  readonly packageName: string;
  readonly token: string;
  /** The body of its token request. */
  readonly form: string;
}

const operatorHeaders = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };

/** Calls the operator API. */
export async function operate(
  { operatorUrl }: Listeners,
  method: string,
  path: string,
  body?: object,
): Promise<Readonly<Record<string, unknown>>> {
  const url = `${operatorUrl}/operator/v1${path}`;
  const sent = body && { body: JSON.stringify(body) };
  const response = await fetch(url, { method, headers: operatorHeaders, ...sent });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

/** Production accepts subscription products only with a payment gateway. */
export const withSubscriptions = { coins: 'oneTime', weekly: 'subscription' } as const;

/** Creates apps with the given products, each with its type. */
export async function createApps(
  server: Listeners,
  names: readonly string[],
  products: Readonly<Record<string, string>> = { coins: 'oneTime' },
): Promise<readonly App[]> {
  const apps: App[] = [];
  for (const packageName of names) {
    const { clientSecret } = await operate(server, 'POST', '/apps', { packageName });
    for (const [productId, type] of Object.entries(products)) {
      // A week before an instant is exact, unlike a month.
      const product = {
        type,
        price: 499,
        currency: 'EUR',
        ...(type === 'subscription' && { period: 'P1W' }),
      };
      await operate(server, 'PUT', `/apps/${packageName}/products/${productId}`, product);
    }
    const form = `grant_type=client_credentials&client_id=${packageName}&client_secret=${clientSecret}`;
    const issued = await fetch(`${server.publicUrl}/v2/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form,
    });
    const { access_token: token } = (await issued.json()) as { access_token: string };
    apps.push({ packageName, token, form });
  }
  return apps;
}

export const appNames = (count: number, prefix = 'com.bench.app'): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const appOf = (apps: readonly App[], n: number): App => apps[n % apps.length] as App;

/** Records `count` purchases named `<name>-<n>`, distributed over the apps; each caller sends the same number. */
export function recordPurchases(
  server: Listeners,
  apps: readonly App[],
  name: string,
  count: number,
  fieldsOf: (n: number) => object = () => ({ productId: 'coins' }),
  callers = connections,
): Promise<LoadResult> {
  if (count % callers !== 0) throw new RangeError(`expected a multiple of ${callers}, got ${count}`);
  const requestOf = (n: number): LoadRequest => {
    const body = { purchaseId: `${name}-${n}`, developerPayload: `payload-${n}`, ...fieldsOf(n) };
    const path = `/operator/v1/apps/${appOf(apps, n).packageName}/purchases`;
    return { method: 'POST', path, headers: operatorHeaders, body: JSON.stringify(body) };
  };
  return eachOnce(server.operatorUrl, count, requestOf, callers);
}

/** Makes `count` calls, spread evenly over the callers. */
export function eachOnce(
  url: string,
  count: number,
  requestOf: (n: number) => LoadRequest,
  callers = connections,
): Promise<LoadResult> {
  const requestsOf = (caller: number) =>
    Array.from({ length: count / callers }, (_, index) => requestOf(index * callers + caller));
  return runLoad({ url, connections: callers, extent: { requests: count }, requestsOf });
}

/** A call on the purchase `<name>-<n>`. */
export function purchaseCall(
  operation: 'details' | 'consume',
  apps: readonly App[],
  name: string,
  n: number,
): LoadRequest {
  const { packageName, token } = appOf(apps, n);
  return {
    method: operation === 'details' ? 'GET' : 'POST',
    path: `/v2/purchase/${operation}/${name}-${n}/${packageName}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  };
}

/** Reads of one connection, spread over `count` purchases. */
export function readRequests(
  apps: readonly App[],
  name: string,
  count: number,
  connection: number,
): LoadRequest[] {
  const perConnection = 1_000;
  const stride = 7_919;
  return Array.from({ length: perConnection }, (_, index) =>
    purchaseCall('details', apps, name, ((connection * perConnection + index) * stride) % count),
  );
}

export const tokenRequests = (apps: readonly App[]): LoadRequest[] =>
  apps.map(({ form }) => ({
    method: 'POST',
    path: '/v2/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form,
  }));
