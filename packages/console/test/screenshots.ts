// npm run console:screenshots [folder]: pictures of every page, wide and narrow, light and dark, for people to look at.

import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OperatorClient } from '@opentill/client/operator';
import type { Page } from 'playwright-core';
import { makeScratch } from '../../server/test/embedded/scratch.ts';
import { startOpentill } from '../../server/test/start/opentill-process.ts';
import { waitFor } from '../../server/test/wait-for.ts';
import { findBrowser } from './browser-program.ts';
import { launchBrowser, openPage, sizes } from './page.ts';

const [folder = 'dist/screenshots'] = process.argv.slice(2);

const buildProgram = fileURLToPath(new URL('../bin/build.ts', import.meta.url));

/** What is shown, and what to do on the page before the picture is taken. */
interface Shot {
  readonly name: string;
  readonly isSignedIn: boolean;
  readonly path: string;
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/** A table, or a list on a narrow screen. */
const overview = (page: Page) => page.locator(':is(table, ul)[aria-label="Latest purchases"]').waitFor();

const shots: readonly Shot[] = [
  { name: 'sign-in', isSignedIn: false, path: '/console/' },
  {
    name: 'sign-in-refused',
    isSignedIn: false,
    path: '/console/sign-in#used',
    prepare: (page) => page.getByRole('alert').waitFor(),
  },
  { name: 'overview', isSignedIn: true, path: '/console/', prepare: overview },
  {
    name: 'session-menu',
    isSignedIn: true,
    path: '/console/',
    async prepare(page) {
      await overview(page);
      await page.getByRole('button', { name: 'Session of operator:admin' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    },
  },
  { name: 'not-found', isSignedIn: true, path: '/console/nothing/here' },
];

/** In addition to the demo: an app with a long name whose webhook fails, and one that is disabled. */
async function fillStore(operator: OperatorClient): Promise<void> {
  const packageName = 'com.example.a.package.name.that.is.quite.long.because.nobody.keeps.it.short';
  await operator.createApp({
    packageName,
    name: 'The Legend of a Game with an Unusually Long Name <b>II</b>',
  });
  await operator.putProduct({
    packageName,
    productId: 'gems',
    type: 'one_time',
    price: 1299,
    currency: 'JPY',
  });
  for (let count = 0; count < 12; count += 1)
    await operator.recordPurchase({ packageName, productId: 'gems' });
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'gems' });
  await operator.voidPurchase({
    packageName,
    purchaseId,
    reasonCode: 'fraud',
    note: 'Stolen card, reported by the bank on the phone',
  });
  await operator.putWebhook({ packageName, url: 'http://127.0.0.1:1024/hooks' });
  await operator.testWebhook({ packageName });
  await waitFor(
    async () => (await operator.listDeliveries({ packageName })).deliveries.length > 0 || undefined,
    { deadlineMs: 10_000, what: 'a delivery' },
  );
  await operator.deleteWebhook({ packageName });
  await operator.pauseRenewals({ packageName, note: 'The provider reports an outage' });
  await operator.createApp({ packageName: 'com.example.old', name: 'An old game' });
  await operator.updateApp({ packageName: 'com.example.old', disabled: true });
}

await using stack = new AsyncDisposableStack();
await promisify(execFile)(process.execPath, [buildProgram]);
const program = await findBrowser();
if (program === undefined) throw new Error('No browser for this machine: set OPENTILL_TEST_BROWSER.');
const { dataFolder } = stack.use(await makeScratch());
const env = { OPENTILL_DATA_DIR: dataFolder, OPENTILL_CONSOLE: 'true' };
const server = stack.use(startOpentill({ env, args: ['--demo'] }));
const { operatorUrl } = await server.ready();
const operatorKey = (await readFile(join(dataFolder, 'operator.key'), 'utf8')).trim();
const operator = new OperatorClient({ host: operatorUrl, operatorKey });
await fillStore(operator);
const browser = await launchBrowser(program);
stack.defer(() => browser.close());
await mkdir(folder, { recursive: true });

for (const scheme of ['light', 'dark'] as const) {
  for (const size of Object.keys(sizes) as (keyof typeof sizes)[]) {
    await using opened = await openPage(browser, { scheme, size });
    const { page } = opened;
    for (const { name, isSignedIn, path, prepare } of shots) {
      if (isSignedIn && (await page.context().cookies()).length === 0) {
        const link = await operator.createConsoleLink({ role: 'admin' });
        await page.goto(operatorUrl + link.path);
        await overview(page);
      }
      await page.goto(operatorUrl + path);
      await page.getByRole('heading').first().waitFor();
      await prepare?.(page);
      await page.screenshot({ path: join(folder, `${name}-${size}-${scheme}.png`), fullPage: true });
    }
  }
}
