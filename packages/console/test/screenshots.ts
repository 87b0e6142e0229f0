// npm run console:screenshots [folder] [names]: pictures of every page in a sandbox and in a large production store, wide
// and narrow, light and dark, for people to look at.

import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OperatorClient } from '@opentill/client/operator';
import type { Browser } from 'playwright-core';
import { createApps } from '../../../bench/apps.ts';
import { adminKey, startBench } from '../../../bench/servers.ts';
import { systemClock } from '../../server/src/runtime/clock.ts';
import { makeScratch } from '../../server/test/embedded/scratch.ts';
import { startOpentill } from '../../server/test/start/opentill-process.ts';
import { fillStore, largeStore } from '../../server/test/store/large-store.ts';
import { requireBrowser } from './browser-program.ts';
import { launchBrowser, openPage, sizes } from './page.ts';

/** Only pages whose name starts with a match of the second argument are taken: `find|buyer`. */
const [folder = 'dist/screenshots', names = ''] = process.argv.slice(2);

const buildProgram = fileURLToPath(new URL('../bin/build.ts', import.meta.url));

/** For panels that keep reading, such as those of the lab. */
const quietMaxMs = 5_000;

interface Store extends AsyncDisposable {
  readonly operatorUrl: string;
  readonly operatorKey: string;
  readonly packageName: string;
}

async function startSandbox(): Promise<Store> {
  await using starting = new AsyncDisposableStack();
  const { dataFolder } = starting.use(await makeScratch());
  const env = { OPENTILL_DATA_DIR: dataFolder };
  const { operatorUrl } = await starting.use(startOpentill({ env, args: ['--demo'] })).ready();
  const operatorKey = (await readFile(join(dataFolder, 'operator.key'), 'utf8')).trim();
  const started = starting.move();
  return {
    ...{ operatorUrl, operatorKey, packageName: 'com.example.demo' },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** With 1,000,000 purchases, 5,000 apps and 10,000 failed deliveries. */
async function startProduction(): Promise<Store> {
  await using starting = new AsyncDisposableStack();
  const bench = starting.use(await startBench());
  const { operatorUrl, ...server } = await bench.startServer({ OPENTILL_JOBS: 'off' });
  const packageName = 'com.bench.main';
  await createApps({ operatorUrl, ...server }, [packageName]);
  await fillStore(bench.postgres.connection, packageName, largeStore, systemClock.now());
  const started = starting.move();
  return {
    ...{ operatorUrl, operatorKey: adminKey, packageName },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** The addresses below /console/ by the names of their pictures. */
async function pagesOf({ operatorUrl, operatorKey, packageName }: Store): Promise<Record<string, string>> {
  const operator = new OperatorClient({ host: operatorUrl, operatorKey });
  const newest = { packageName, pageSize: 1 };
  const [purchase] = (await operator.listPurchases(newest)).purchases;
  const [subscription] = (await operator.listSubscriptions(newest)).subscriptions;
  const [delivery] = (await operator.listDeliveries(newest)).deliveries;
  const app = `apps/${packageName}`;
  const tabs = ['purchases', 'products', 'events', 'webhook', 'credentials', 'changes', 'settings', 'lab'];
  const lists = ['purchases', 'subscriptions', 'reports', 'apps', 'webhooks', 'audit', 'settings', 'nowhere'];
  return {
    overview: '',
    find: 'find?q=com.',
    ...Object.fromEntries(lists.map((path) => [path, path])),
    ...Object.fromEntries(tabs.map((tab) => [`app-${tab}`, `${app}/${tab}`])),
    purchase: `${app}/purchases/${purchase?.purchaseId}`,
    subscription: `${app}/subscriptions/${subscription?.firstPurchaseId}`,
    delivery: `${app}/deliveries/${delivery?.id}`,
    buyer: `buyer?id=${purchase?.buyerId}`,
  };
}

async function takePictures(browser: Browser, store: Store, environment: string): Promise<void> {
  const { operatorUrl, operatorKey } = store;
  const wanted = new RegExp(`^(?:${names})`);
  const pages = Object.entries(await pagesOf(store)).filter(([name]) => wanted.test(name));
  for (const scheme of ['light', 'dark'] as const) {
    for (const size of Object.keys(sizes) as (keyof typeof sizes)[]) {
      await using opened = await openPage(browser, { scheme, size });
      const { page } = opened;
      const pictureOf = (name: string) => join(folder, `${name}-${environment}-${size}-${scheme}.png`);
      await page.goto(`${operatorUrl}/console/`);
      await page.getByLabel('Operator key').waitFor();
      await page.screenshot({ path: pictureOf('sign-in') });
      await page.getByLabel('Operator key').fill(operatorKey);
      await page.keyboard.press('Enter');
      await page.getByRole('banner').waitFor();
      for (const [name, path] of pages) {
        await page.goto(`${operatorUrl}/console/${path}`);
        await page.waitForLoadState('networkidle', { timeout: quietMaxMs }).catch(() => undefined);
        await page.screenshot({ path: pictureOf(name), fullPage: true });
      }
    }
  }
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
