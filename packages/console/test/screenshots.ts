// npm run console:screenshots [folder] [names]: pictures of every page, wide and narrow, light and dark, for people to look at.

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
import { fillLab, labShots } from './lab-shots.ts';
import { launchBrowser, openPage, sizes } from './page.ts';
import { fillSubscriptions, subscriptionShots } from './subscription-shots.ts';

/** Only pictures whose name starts with a match of the second argument are taken: `find|buyer`. */
const [folder = 'dist/screenshots', names = ''] = process.argv.slice(2);

const buildProgram = fileURLToPath(new URL('../bin/build.ts', import.meta.url));

/** What is shown, and what to do on the page before the picture is taken. */
interface Shot {
  readonly name: string;
  readonly isSignedIn: boolean;
  readonly path: string;
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/** A table, or a list on a narrow screen. */
const listed = (name: string) => (page: Page) =>
  page.locator(`:is(table, ul)[aria-label="${name}"]`).waitFor();

const said = (text: string) => (page: Page) => page.getByText(text).first().waitFor();

const longName = 'com.example.a.package.name.that.is.quite.long.because.nobody.keeps.it.short';
const longApp = `/console/apps/${longName}`;

const overview = (page: Page) => page.locator(':is(table, ul)[aria-label="Latest purchases"]').waitFor();

const buyerId = 'B-1042 (family account)';
const buyerPath = `/console/buyer?${new URLSearchParams({ id: buyerId })}`;

const purchasePath = (name: string) => `/console/apps/com.example.demo/purchases/SANDBOX-DEMO-${name}`;
const purchase = (page: Page) => page.getByText('getPurchaseDetails', { exact: true }).waitFor();

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
  {
    name: 'find-hits',
    isSignedIn: true,
    path: '/console/find?q=com.example',
    prepare: (page) => page.getByText('com.example.old').first().waitFor(),
  },
  {
    name: 'find-nothing',
    isSignedIn: true,
    path: '/console/find?q=GPA.0000-0000',
    prepare: (page) => page.getByText('Nothing was found').waitFor(),
  },
  {
    name: 'find-palette',
    isSignedIn: true,
    path: '/console/find',
    async prepare(page) {
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Command' }).waitFor();
    },
  },
  {
    name: 'find-keys',
    isSignedIn: true,
    path: '/console/find',
    async prepare(page) {
      await page.keyboard.press('?');
      await page.getByText('Single keys').waitFor();
    },
  },
  {
    name: 'find-calls',
    isSignedIn: true,
    path: '/console/find?q=GPA.0000-0000',
    async prepare(page) {
      await page.getByText('Nothing was found').waitFor();
      await page.getByRole('button', { name: 'Calls of this page' }).click();
      await page.getByText('$OPERATOR_KEY').first().waitFor();
    },
  },
  {
    name: 'buyer',
    isSignedIn: true,
    path: buyerPath,
    prepare: (page) => page.getByText('on this page').waitFor(),
  },
  {
    name: 'buyer-erase',
    isSignedIn: true,
    path: buyerPath,
    async prepare(page) {
      await page.getByRole('button', { name: 'Erase' }).click();
      await page.getByLabel('Type the buyer id again').waitFor();
    },
  },
  { name: 'purchase', isSignedIn: true, path: purchasePath('COINS'), prepare: purchase },
  {
    name: 'purchase-void',
    isSignedIn: true,
    path: purchasePath('COINS'),
    async prepare(page) {
      await purchase(page);
      await page.getByRole('button', { name: 'Void' }).click();
      await page.getByText('What will happen').waitFor();
    },
  },
  { name: 'purchase-voided', isSignedIn: true, path: purchasePath('SWORD'), prepare: purchase },
  {
    name: 'purchase-missing',
    isSignedIn: true,
    path: purchasePath('NONE'),
    prepare: (page) => page.getByRole('alert').waitFor(),
  },
  ...labShots,
  ...subscriptionShots,
  { name: 'not-found', isSignedIn: true, path: '/console/nothing/here' },
  { name: 'apps', isSignedIn: true, path: '/console/apps', prepare: listed('Apps') },
  {
    name: 'app-creation',
    isSignedIn: true,
    path: '/console/apps',
    prepare: (page) => page.getByRole('button', { name: 'Create an app' }).click(),
  },
  { name: 'app-overview', isSignedIn: true, path: `${longApp}/overview`, prepare: said('Pause or resume') },
  { name: 'app-purchases', isSignedIn: true, path: `${longApp}/purchases`, prepare: listed('Purchases') },
  { name: 'app-products', isSignedIn: true, path: `${longApp}/products`, prepare: listed('Products') },
  { name: 'app-events', isSignedIn: true, path: `${longApp}/events`, prepare: listed('Events') },
  { name: 'app-webhook', isSignedIn: true, path: `${longApp}/webhook`, prepare: listed('Deliveries') },
  { name: 'app-credentials', isSignedIn: true, path: `${longApp}/credentials`, prepare: said('Client id') },
  { name: 'app-changes', isSignedIn: true, path: `${longApp}/changes`, prepare: listed('Changes') },
  { name: 'app-settings', isSignedIn: true, path: `${longApp}/settings`, prepare: said('to settle by hand') },
  {
    name: 'app-empty',
    isSignedIn: true,
    path: '/console/apps/com.example.old/products',
    prepare: said('This app sells nothing yet.'),
  },
  {
    name: 'app-secret',
    isSignedIn: true,
    path: '/console/apps/com.example.old/credentials',
    async prepare(page) {
      await page.getByRole('button', { name: 'Rotate the client secret' }).click();
      await page.getByLabel('How long').selectOption('0');
      await page.getByRole('button', { name: /^Rotate for/ }).click();
      await page.getByText('It is shown only now.').waitFor();
    },
  },
  { name: 'webhooks', isSignedIn: true, path: '/console/webhooks', prepare: listed('Webhooks') },
  {
    name: 'delivery',
    isSignedIn: true,
    path: `${longApp}/webhook`,
    async prepare(page) {
      await listed('Deliveries')(page);
      await page.getByRole('link', { name: /^evt_/ }).first().click();
      await listed('Attempts')(page);
    },
  },
  { name: 'audit', isSignedIn: true, path: '/console/audit', prepare: listed('Actions') },
  { name: 'settings', isSignedIn: true, path: '/console/settings', prepare: said('Signed in as') },
];

/** In addition to the demo: an app with a long name whose webhook fails, and one that is disabled. */
async function fillStore(operator: OperatorClient): Promise<void> {
  const packageName = longName;
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
    await operator.recordPurchase({ packageName, productId: 'gems', buyerId });
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
  await operator.putWebhook({
    packageName,
    url: 'http://127.0.0.1:1024/hooks?key=a-long-secret-in-the-address',
  });
  await operator.testWebhook({ packageName });
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
const { operatorUrl, publicUrl } = await server.ready();
const operatorKey = (await readFile(join(dataFolder, 'operator.key'), 'utf8')).trim();
const operator = new OperatorClient({ host: operatorUrl, operatorKey });
await fillStore(operator);
await fillLab(operator, publicUrl);
await fillSubscriptions(operator);
const browser = await launchBrowser(program);
stack.defer(() => browser.close());
await mkdir(folder, { recursive: true });

for (const scheme of ['light', 'dark'] as const) {
  for (const size of Object.keys(sizes) as (keyof typeof sizes)[]) {
    await using opened = await openPage(browser, { scheme, size });
    const { page } = opened;
    for (const { name, isSignedIn, path, prepare } of shots) {
      if (!new RegExp(`^(?:${names})`).test(name)) continue;
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
