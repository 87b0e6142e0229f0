// What a store does at once for `npm run bench:soak`: each kind of work, and how often it begins in a second.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Temporal } from 'temporal-polyfill';
import type { App } from './apps.ts';
import { runCommand } from './command-line.ts';
import { adminKey, type Bench, type BenchServer } from './servers.ts';

/** A busy machine records a subscription before it is due. */
const dueInSeconds = 20;
const disconnectMs = 500;
const importedRows = 100;
const hourMs = 3_600_000;

export interface Store {
  readonly environment: 'sandbox' | 'production';
  readonly bench: Bench;
  readonly server: BenchServer;
  readonly apps: readonly App[];
  /** It sells nothing. */
  readonly quietApp: App;
  /** Webhooks and charges so far. */
  received(): number;
  readonly counts: { calls: number; busy: number; skipped: number };
}

const json = { 'content-type': 'application/json' };
const asOperator = { ...json, authorization: `Bearer ${adminKey}` };
const asPage = { ...json, 'sec-fetch-site': 'same-origin' };

/** Calls a server on a connection of its own; a busy server may respond with 503. */
async function call({ counts }: Store, url: string, init: RequestInit = {}): Promise<Response> {
  counts.calls += 1;
  const response = await fetch(url, { ...init, headers: { ...init.headers, connection: 'close' } });
  if (response.status === 503) counts.busy += 1;
  else if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response;
}

async function read(store: Store, url: string, init?: RequestInit): Promise<Response> {
  const response = await call(store, url, init);
  await response.arrayBuffer();
  return response;
}

const appOf = ({ apps }: Store, n: number): App => apps[n % apps.length] as App;

const record = (store: Store, n: number, purchase: object) =>
  read(store, `${store.server.operatorUrl}/operator/v1/apps/${appOf(store, n).packageName}/purchases`, {
    method: 'POST',
    headers: asOperator,
    body: JSON.stringify(purchase),
  });

/** The works of a kind are numbered. */
export const load: Readonly<
  Record<string, { readonly perSecond: number; readonly work: (store: Store, n: number) => Promise<unknown> }>
> = {
  sales: {
    perSecond: 10,
    async work(store, n) {
      const purchaseId = `sale-${n}`;
      const { packageName, token } = appOf(store, n);
      const { status } = await record(store, n, { productId: 'coins', purchaseId });
      if (status === 503) return;
      const headers = { ...json, authorization: `Bearer ${token}` };
      const urlOf = (operation: string) =>
        `${store.server.publicUrl}/v2/purchase/${operation}/${purchaseId}/${packageName}`;
      await read(store, urlOf('details'), { headers });
      await read(store, urlOf('consume'), { method: 'POST', headers });
    },
  },
  renewals: {
    perSecond: 5,
    work(store, n) {
      const dueAt = Temporal.Now.zonedDateTimeISO('UTC').add({ seconds: dueInSeconds });
      const purchaseTime = dueAt.subtract({ weeks: 1 }).epochMilliseconds;
      return record(store, n, { productId: 'weekly', purchaseId: `subscription-${n}`, purchaseTime });
    },
  },
  /** Half of them end with an event, and a quarter each with their client and their wait. */
  polls: {
    perSecond: 2,
    async work(store, n) {
      const { token } = n % 2 === 0 ? appOf(store, n) : store.quietApp;
      const headers = { authorization: `Bearer ${token}` };
      const url = `${store.server.publicUrl}/events/v1/events?waitSeconds=2&after=now`;
      if (n % 4 !== 1) return read(store, url, { headers });
      return read(store, url, { headers, signal: AbortSignal.timeout(disconnectMs) }).catch(
        (error: Error) => {
          if (error.name !== 'TimeoutError') throw error;
        },
      );
    },
  },
  sessions: {
    perSecond: 0.5,
    async work(store) {
      const url = `${store.server.operatorUrl}/operator/v1`;
      const body = JSON.stringify({ key: adminKey });
      const response = await read(store, `${url}/sessions`, { method: 'POST', headers: asPage, body });
      if (response.status === 503) return;
      const headers = { ...asPage, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
      for (const path of ['/apps', '/attention', '/purchases', '/sessions/current'])
        await read(store, `${url}${path}`, { headers });
      await read(store, `${url}/sessions/current`, { method: 'DELETE', headers });
    },
  },
  /** Half of them are left at their first bytes. */
  files: {
    perSecond: 0.2,
    async work(store, n) {
      const url = `${store.server.operatorUrl}/operator/v1/purchases?packageName=${appOf(store, 0).packageName}`;
      const headers = { ...asOperator, accept: 'text/csv' };
      if (n % 2 === 0) await read(store, url, { headers });
      else await (await call(store, url, { headers })).body?.cancel();
    },
  },
  /** Each creates an app. */
  imports: {
    perSecond: 0.05,
    async work({ bench: { databaseUrl, folder }, environment }, n) {
      const [products, purchases] = [join(folder, `products-${n}.csv`), join(folder, `purchases-${n}.csv`)];
      const rows = Array.from(
        { length: importedRows },
        (_, row) => `moved-${n}-${row},coins,${Date.now() - hourMs}`,
      );
      await writeFile(products, 'productId,price,currency\ncoins,499,EUR\n');
      await writeFile(purchases, `purchaseId,productId,purchaseTime\n${rows.join('\n')}\n`);
      const args = ['import', '--csv', products, purchases, '--package', `com.bench.moved${n}`];
      await runCommand(args, databaseUrl, { OPENTILL_ENVIRONMENT: environment });
    },
  },
};
