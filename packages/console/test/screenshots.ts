// npm run console:screenshots [folder] [names]: pictures of every page in a sandbox and in a large production store, on three
// widths, light and dark, for people to look at. Those of the README are subscription- and app-lab-sandbox-1440-light.

import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OperatorClient } from '@opentill/client/operator';
import type { Browser, Page } from 'playwright-core';
import { createApps } from '../../../bench/apps.ts';
import { adminKey, startBench } from '../../../bench/servers.ts';
import { requireBrowser } from '../../../test/support/browser/browser-program.ts';
import { launchBrowser, openPage, sizes } from '../../../test/support/browser/page.ts';
import { makeScratch } from '../../../test/support/embedded/scratch.ts';
import { startOpentill } from '../../../test/support/start/opentill-process.ts';
import { countAll } from '../../../test/support/statistics/counting.ts';
import { fillStore } from '../../../test/support/store/large-store.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { startTestReceiver } from '../../../test/support/webhooks/test-receiver.ts';
import { systemClock } from '../../server/src/runtime/clock.ts';
import { Database } from '../../server/src/store/connection/database.ts';

/** Only pages whose name starts with a match of the second argument are taken: `find|buyer`. */
const [folder = 'dist/screenshots', names = ''] = process.argv.slice(2);

const buildProgram = fileURLToPath(new URL('../bin/build.ts', import.meta.url));

/** Between the other two widths, pages differ in their number of columns. */
const mediumPages = /^(?:overview|app-lab)$/;

interface Store extends AsyncDisposable {
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

/** The addresses below /console/ by the names of their pictures. */
async function pagesOf(store: Store): Promise<Record<string, string>> {
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
    ...Object.fromEntries(lists.map((path) => [path, path])),
    ...Object.fromEntries(tabs.map((tab) => [`app-${tab}`, `${app}/${tab}`])),
    purchase: `${app}/purchases/${purchase?.purchaseId}`,
    voided: `${app}/purchases/${voided?.purchaseId}`,
    subscription: `${app}/subscriptions/${firstPurchaseId}`,
    delivery: `${app}/deliveries/${delivery?.id}`,
    buyer: `buyer?id=${buyerId}`,
  };
}

async function takePictures(browser: Browser, store: Store, environment: string): Promise<void> {
  const { operatorUrl, operatorKey } = store;
  const wanted = new RegExp(`^(?:${names})`);
  const pages = Object.entries(await pagesOf(store)).filter(([name]) => wanted.test(name));
  for (const scheme of ['light', 'dark'] as const) {
    for (const size of Object.keys(sizes) as (keyof typeof sizes)[]) {
      await using page = await openPage(browser, { scheme, size });
      const pictureOf = (name: string) =>
        join(folder, `${name}-${environment}-${sizes[size].width}-${scheme}.png`);
      await page.goto(`${operatorUrl}/console/`);
      await page.getByLabel('Operator key').waitFor();
      await page.screenshot({ path: pictureOf('sign-in') });
      await page.getByLabel('Operator key').fill(operatorKey);
      await page.keyboard.press('Enter');
      await page.getByRole('banner').waitFor();
      for (const [name, path] of pages) {
        if (size === 'medium' && !mediumPages.test(name)) continue;
        await page.setViewportSize(sizes[size]);
        await page.goto(`${operatorUrl}/console/${path}`);
        await isComplete(page);
        await page.setViewportSize({ ...sizes[size], height: await heightOf(page, sizes[size].height) });
        await page.screenshot({ path: pictureOf(name) });
      }
    }
  }
}

/** Waits until nothing of the page is still to be loaded: its title, its parts, and the data of each panel. */
async function isComplete(page: Page): Promise<void> {
  await page.locator('header [aria-label^="Session of"]').waitFor();
  await page.locator('main h1').waitFor();
  const pending = page.locator('.mantine-Skeleton-root, .mantine-Loader-root');
  await pending.first().waitFor({ state: 'detached' });
}

/** The height of the whole page, so that its navigation is as high. */
async function heightOf(page: Page, atLeast: number): Promise<number> {
  return Math.max(atLeast, Number(await page.evaluate('document.documentElement.scrollHeight')));
}

await promisify(execFile)(process.execPath, [buildProgram]);
const program = await requireBrowser();
await using stack = new AsyncDisposableStack();
const browser = await launchBrowser(program);
stack.defer(() => browser.close());
await mkdir(folder, { recursive: true });

for (const [environment, start] of Object.entries({ sandbox: startSandbox, production: startProduction })) {
  await using store = await start();
  await takePictures(browser, store, environment);
}
