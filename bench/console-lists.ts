// Measures the reads of the console as its pages make them: the first page and the next page of each list, filters, and
// searches.

import { longSubscription } from './large-store.ts';
import { quantile, report } from './report.ts';
import { adminKey, type Listeners } from './servers.ts';

const callsOfEach = 40;
const rowsOfPage = 50;
const share = 0.95;
const targets = { pageMs: 300, filterMs: 1_500 } as const;

type Query = Readonly<Record<string, string | number>>;
type Page = Readonly<Record<string, unknown>> & { readonly nextPageToken?: string };

/** Calls an operation that reads; `path` follows /operator/v1. */
export async function read({ operatorUrl }: Listeners, path: string, query: Query = {}): Promise<Page> {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const response = await fetch(`${operatorUrl}/operator/v1${path}?${parameters}`, {
    headers: { authorization: `Bearer ${adminKey}` },
  });
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Page;
}

interface List {
  readonly name: string;
  readonly path: string;
  readonly filters: Readonly<Record<string, Query>>;
}

function listsOf(packageName: string): readonly List[] {
  const app = `/apps/${packageName}`;
  const from = Date.now() - 10 * 86_400_000;
  return [
    {
      name: 'listPurchases',
      path: `${app}/purchases`,
      filters: {
        'a common product': { productId: 'coins' },
        'a product without purchases': { productId: 'none' },
        'state voided': { state: 'voided' },
        'a buyer': { buyerId: 'b-7' },
        'ten days': { from },
      },
    },
    {
      name: 'listSubscriptions',
      path: '/subscriptions',
      filters: {
        'an app': { packageName },
        active: { state: 'active' },
        outstanding: { state: 'payment_outstanding' },
        terminated: { state: 'terminated' },
        'an app and a product': { packageName, productId: 'monthly' },
        'a buyer': { buyerId: 'b-7' },
      },
    },
    {
      name: 'listDeliveries',
      path: `${app}/webhook/deliveries`,
      filters: {
        dead: { state: 'dead' },
        delivered: { state: 'delivered' },
        held: { state: 'held' },
        'a purchase': { purchaseId: 'p-999990' },
      },
    },
    {
      name: 'listActions',
      path: '/actions',
      filters: {
        'an app': { packageName },
        'an operation': { operationId: 'voidPurchase' },
        'an operation that nobody called': { operationId: 'deleteWebhook' },
        'a key': { by: 'operator:helpdesk' },
        'an unknown key': { by: 'operator:nobody' },
        forbidden: { outcome: 'forbidden' },
        'a subject': { subject: 'p-1' },
      },
    },
    { name: 'listVoids', path: '/voids', filters: { 'an app': { packageName }, 'ten days': { from } } },
    { name: 'listApps', path: '/apps', filters: { 'a rare text': { containing: 'other04999' } } },
    { name: 'listWebhooks', path: '/webhooks', filters: {} },
    { name: 'listEvents', path: `${app}/events`, filters: {} },
    {
      name: 'searchPurchases',
      path: '/purchases',
      filters: { 'a buyer of every app': { buyerId: 'b-1' }, 'an unknown order': { orderId: 'none' } },
    },
    { name: 'getRenewals', path: '/renewals', filters: {} },
    { name: 'getSubscription', path: `${app}/subscriptions/${longSubscription}`, filters: {} },
  ];
}

async function p95Of(call: (n: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < callsOfEach; n += 1) {
    const begun = performance.now();
    await call(n);
    times.push(performance.now() - begun);
  }
  return quantile(times, share);
}

export async function measureLists(server: Listeners, packageName: string): Promise<void> {
  for (const list of listsOf(packageName)) await measureList(server, list);
  const searches = await searchesOf(server, packageName);
  for (const [what, textOf] of Object.entries(searches)) {
    const p95 = await p95Of((n) => read(server, '/search', { q: textOf(n) }));
    report(`search by ${what}, p95 ms`, p95, { most: targets.pageMs });
  }
}

async function measureList(server: Listeners, { name, path, filters }: List): Promise<void> {
  const isPaged = !/^\/renewals|\/subscriptions\/|\/events$/.test(path);
  const page = isPaged ? { pageSize: rowsOfPage } : {};
  if (name !== 'searchPurchases') {
    report(`${name}, first page, p95 ms`, await p95Of(() => read(server, path, page)), {
      most: targets.pageMs,
    });
    const { nextPageToken } = await read(server, path, page);
    if (nextPageToken !== undefined) {
      const next = { ...page, pageToken: nextPageToken };
      report(`${name}, next page, p95 ms`, await p95Of(() => read(server, path, next)), {
        most: targets.pageMs,
      });
    }
  }
  for (const [what, filter] of Object.entries(filters)) {
    const filtered = { ...page, ...filter };
    report(`${name}, ${what}, p95 ms`, await p95Of(() => read(server, path, filtered)), {
      most: targets.filterMs,
    });
  }
}

async function searchesOf(
  server: Listeners,
  packageName: string,
): Promise<Readonly<Record<string, (n: number) => string>>> {
  const { events } = (await read(server, '/apps/com.example.other00001/events')) as unknown as {
    events: readonly { id: string }[];
  };
  const eventId = events[0]?.id ?? '';
  const { deliveries } = (await read(server, `/apps/${packageName}/webhook/deliveries`)) as unknown as {
    deliveries: readonly { id: string }[];
  };
  const deliveryId = deliveries[0]?.id ?? '';
  return {
    'purchase id': (n) => `p-${n * 20_011}`,
    'order id': (n) => `o-${n * 20_011}`,
    'buyer id': (n) => `b-${n * 1_009}`,
    'event id that every app could have': () => eventId,
    'delivery id': () => deliveryId,
    'request id': (n) => `a-${n * 2_003}`,
    'start of a package name': (n) => `com.example.other0${n % 10}`,
    'start of a product id of every app': () => 'co',
    'unknown text': (n) => `nothing-${n}`,
  };
}
