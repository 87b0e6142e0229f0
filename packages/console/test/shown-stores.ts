// A sandbox and a large production store with something on every page, and the addresses of these pages, for programs that
// look at all of them.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorClient } from '@opentill/client/operator';
import type { Page } from 'playwright-core';
import { createApps } from '../../../bench/apps.ts';
import { adminKey, startBench } from '../../../bench/servers.ts';
import { makeScratch } from '../../../test/support/embedded/scratch.ts';
import { startOpentill } from '../../../test/support/start/opentill-process.ts';
import { countAll } from '../../../test/support/statistics/counting.ts';
import { fillStore } from '../../../test/support/store/large-store.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { startTestReceiver } from '../../../test/support/webhooks/test-receiver.ts';
import { systemClock } from '../../server/src/runtime/clock.ts';
import { Database } from '../../server/src/store/connection/database.ts';

export interface Store extends AsyncDisposable {
  readonly operatorUrl: string;
  readonly operatorKey: string;
  readonly packageName: string;
  /** A subscription whose picture shows something. */
  readonly firstPurchaseId: string;
}

async function startSandbox(): Promise<Store> {
  const packageName = 'com.example.demo';
  await using starting = new AsyncDisposableStack();
  const { dataFolder } = starting.use(await makeScratch());
  const env = { OPENTILL_DATA_DIR: dataFolder, OPENTILL_WEBHOOK_ALLOW: 'loopback' };
  const { operatorUrl } = await starting.use(startOpentill({ env, args: ['--demo'] })).ready();
  const operatorKey = (await readFile(join(dataFolder, 'operator.key'), 'utf8')).trim();
  const operator = new OperatorClient({ host: operatorUrl, operatorKey });
  const receiver = starting.use(await startTestReceiver());
  await operator.putWebhook({ packageName, url: receiver.url });
  await operator.testWebhook({ packageName });
  await waitFor(
    async () => (await operator.listDeliveries({ packageName, state: 'delivered' })).deliveries[0],
    {
      what: 'a delivery',
    },
  );
  const started = starting.move();
  return {
    ...{ operatorUrl, operatorKey, packageName, firstPurchaseId: 'SANDBOX-DEMO-CLUB-2' },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** With more of everything than a page shows; the subscription that began in October 2001 is paid until next month. */
function storeSize(now: number) {
  const date = new Date(now);
  return {
    ...{ apps: 200, purchases: 50_000, subscriptions: 2_000, events: 5_000 },
    periods: (date.getUTCFullYear() - 2001) * 12 + date.getUTCMonth() - 8,
    ...{ failedDeliveries: 1_000, actions: 5_000 },
  };
}

async function startProduction(): Promise<Store> {
  await using starting = new AsyncDisposableStack();
  const bench = starting.use(await startBench());
  const { operatorUrl, ...server } = await bench.startServer({ OPENTILL_JOBS: 'off' });
  const packageName = 'com.bench.main';
  await createApps({ operatorUrl, ...server }, [packageName]);
  const { connection } = bench.postgres;
  const now = systemClock.now();
  await fillStore(connection, packageName, storeSize(now), now);
  const failed = (error: Error): never => {
    throw error;
  };
  await using database = new Database({
    connection,
    poolSize: 2,
    isDistributed: false,
    onIdleFailure: failed,
  });
  await countAll(database);
  const started = starting.move();
  return {
    ...{ operatorUrl, operatorKey: adminKey, packageName, firstPurchaseId: 'L-0' },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export const stores = { sandbox: startSandbox, production: startProduction } as const;

/** The addresses below /console/ by the names of their pictures. */
export async function pagesOf(store: Store): Promise<Record<string, string>> {
  const { packageName, firstPurchaseId } = store;
  const operator = new OperatorClient({ host: store.operatorUrl, operatorKey: store.operatorKey });
  const newest = { packageName, pageSize: 1 };
  const [purchase] = (await operator.listPurchases({ ...newest, state: 'consumed' })).purchases;
  const [voided] = (await operator.listPurchases({ ...newest, state: 'voided' })).purchases;
  const [delivery] = (await operator.listDeliveries(newest)).deliveries;
  const { buyerId } = await operator.getSubscription({ packageName, firstPurchaseId });
  const app = `apps/${packageName}`;
  const tabs = ['purchases', 'products', 'events', 'webhook', 'credentials', 'changes', 'settings', 'lab'];
  const lists = ['purchases', 'subscriptions', 'reports', 'apps', 'webhooks', 'audit', 'settings', 'nowhere'];
  return {
    overview: '',
    find: 'find?q=coins',
    statements: `reports/statements?packageName=${packageName}`,
    ...Object.fromEntries(lists.map((path) => [path, path])),
    ...Object.fromEntries(tabs.map((tab) => [`app-${tab}`, `${app}/${tab}`])),
    purchase: `${app}/purchases/${purchase?.purchaseId}`,
    voided: `${app}/purchases/${voided?.purchaseId}`,
    subscription: `${app}/subscriptions/${firstPurchaseId}`,
    delivery: `${app}/deliveries/${delivery?.id}`,
    buyer: `buyer?id=${buyerId}`,
  };
}

/** Waits until nothing of the page is still to be loaded: its title, its parts, and the data of each panel. */
export async function isComplete(page: Page): Promise<void> {
  await page.locator('header [aria-label^="Session of"]').waitFor();
  await page.locator('main h1').waitFor();
  const pending = page.locator('.mantine-Skeleton-root, .mantine-Loader-root');
  await pending.first().waitFor({ state: 'detached' });
}
