// npm run console:screenshots [folder] [names]: pictures of every page, wide and narrow, light and dark, for people to look at.

import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { longSubscription } from '../../server/test/store/large-store.ts';
import { requireBrowser } from './browser-program.ts';
import { labShots } from './lab-shots.ts';
import { launchBrowser, openPage, sizes } from './page.ts';
import {
  buyerId,
  largeApp,
  longName,
  type Store,
  startLargeStore,
  startSmallStore,
} from './screenshot-stores.ts';
import { subscriptionShots } from './subscription-shots.ts';

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

const longApp = `/console/apps/${longName}`;

const overview = (page: Page) => page.getByRole('region', { name: 'Sales today' }).waitFor();

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
    name: 'overview-of-app',
    isSignedIn: true,
    path: '/console/subscriptions?packageName=com.example.music',
    async prepare(page) {
      await listed('Subscriptions')(page);
      await page.getByRole('banner').getByRole('link', { name: 'attention' }).click();
      await page.getByText('by its clock: now').waitFor();
      await page.getByText('one-time').first().waitFor();
    },
  },
  { name: 'reports', isSignedIn: true, path: '/console/reports', prepare: said('one-time') },
  {
    name: 'session-menu',
    isSignedIn: true,
    path: '/console/',
    async prepare(page) {
      await overview(page);
      await page.getByRole('button', { name: 'Session of admin' }).click();
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
  {
    name: 'purchases',
    isSignedIn: true,
    path: '/console/purchases?packageName=com.example.demo',
    prepare: listed('Purchases'),
  },
  { name: 'purchases-of-all', isSignedIn: true, path: '/console/purchases', prepare: listed('Purchases') },
  { name: 'audit', isSignedIn: true, path: '/console/audit', prepare: listed('Actions') },
  { name: 'settings', isSignedIn: true, path: '/console/settings', prepare: said('Signed in as') },
];

const inLargeApp = `/console/apps/${largeApp}`;

const largeShots: readonly Shot[] = [
  { name: 'full-overview', isSignedIn: true, path: '/console/', prepare: overview },
  { name: 'full-apps', isSignedIn: true, path: '/console/apps', prepare: listed('Apps') },
  {
    name: 'full-find',
    isSignedIn: true,
    path: '/console/find?q=com.example.other',
    prepare: said('com.example.other0'),
  },
  { name: 'full-purchases', isSignedIn: true, path: `${inLargeApp}/purchases`, prepare: listed('Purchases') },
  { name: 'full-webhooks', isSignedIn: true, path: '/console/webhooks', prepare: listed('Webhooks') },
  { name: 'full-deliveries', isSignedIn: true, path: `${inLargeApp}/webhook`, prepare: listed('Deliveries') },
  {
    name: 'full-subscriptions',
    isSignedIn: true,
    path: `/console/subscriptions?packageName=${largeApp}`,
    prepare: listed('Subscriptions'),
  },
  {
    name: 'full-subscription',
    isSignedIn: true,
    path: `${inLargeApp}/subscriptions/${longSubscription}`,
    async prepare(page) {
      await page.getByRole('img', { name: /^From / }).waitFor();
      await listed('Months')(page);
    },
  },
  { name: 'full-audit', isSignedIn: true, path: '/console/audit', prepare: listed('Actions') },
];

async function takePictures(
  browser: Browser,
  { operatorUrl, operatorKey }: Store,
  wanted: readonly Shot[],
): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    for (const size of Object.keys(sizes) as (keyof typeof sizes)[]) {
      await using opened = await openPage(browser, { scheme, size });
      const { page } = opened;
      for (const { name, isSignedIn, path, prepare } of wanted) {
        if (isSignedIn && (await page.context().cookies()).length === 0) {
          await page.context().request.post(`${operatorUrl}/operator/v1/sessions`, {
            headers: { 'sec-fetch-site': 'same-origin' },
            data: { key: operatorKey },
          });
        }
        await page.goto(operatorUrl + path);
        await page.getByRole('heading').first().waitFor();
        await prepare?.(page);
        await page.screenshot({ path: join(folder, `${name}-${size}-${scheme}.png`), fullPage: true });
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

for (const { start, shots: all } of [
  { start: startSmallStore, shots },
  { start: startLargeStore, shots: largeShots },
]) {
  const wanted = all.filter(({ name }) => new RegExp(`^(?:${names})`).test(name));
  if (wanted.length === 0) continue;
  await using store = await start();
  await takePictures(browser, store, wanted);
}
