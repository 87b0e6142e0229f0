// Measures the console in a browser: its first page, the picture of a long subscription, and live events.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findBrowser } from '../packages/console/test/browser-program.ts';
import { launchBrowser, type OpenPage, openPage } from '../packages/console/test/page.ts';
import type { App } from './apps.ts';
import { longSubscription } from './console-store.ts';
import { median, quantile, report } from './report.ts';
import { adminKey, type Listeners } from './servers.ts';

const rounds = 5;
const liveEvents = 100;
const targets = { paintMs: 500, overviewMs: 1_000, pictureMs: 300, eventMs: 1_000 } as const;

const buildProgram = fileURLToPath(new URL('../packages/console/bin/build.ts', import.meta.url));

/** Builds the console, which a server serves as soon as it is there. */
export async function buildConsole(): Promise<void> {
  await promisify(execFile)(process.execPath, [buildProgram]);
}

/** Prints nothing on a machine without a browser. */
export async function measureBrowser({ operatorUrl }: Listeners, { packageName }: App): Promise<void> {
  const program = await findBrowser();
  if (program === undefined) return;
  const browser = await launchBrowser(program);
  try {
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(`${operatorUrl}/console/`);
    await page.getByLabel('Operator key').fill(adminKey);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await dataOf(page);
    const paints: number[] = [];
    const overviews: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      // Another page of the same session has an empty memory, and this one an empty cache.
      const other = await page.context().newPage();
      const network = await page.context().newCDPSession(other);
      await network.send('Network.setCacheDisabled', { cacheDisabled: true });
      const begun = performance.now();
      await other.goto(`${operatorUrl}/console/`, { waitUntil: 'commit' });
      await dataOf(other);
      overviews.push(performance.now() - begun);
      paints.push(
        await other.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime"),
      );
      await other.close();
    }
    report('console, first paint, ms', median(paints), { most: targets.paintMs });
    report('console, overview with data, ms', median(overviews), { most: targets.overviewMs });
    const pictures: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      await page.goto(`${operatorUrl}/console/subscriptions?packageName=${packageName}&buyerId=b-long`);
      await page.getByRole('link', { name: longSubscription }).waitFor();
      pictures.push(await page.evaluate<number>(fromClickToPicture));
    }
    report('console, 1,200 months, click to pixels, ms', median(pictures), { most: targets.pictureMs });
    const delays = await delaysOfEvents(page, operatorUrl, packageName);
    report('console, committed event to screen, p99, ms', quantile(delays, 0.99), { most: targets.eventMs });
  } finally {
    await browser.close();
  }
}

const dataOf = (page: OpenPage['page']) =>
  page.getByRole('table', { name: 'Latest voids' }).getByText('p-').first().waitFor();

/** In the page: from the click on the link to the frame after the one with the picture. */
const fromClickToPicture = `new Promise((resolve) => {
  const begun = performance.now();
  [...document.querySelectorAll('a')].find(({ textContent }) => textContent === '${longSubscription}').click();
  const look = () => {
    const isThere = document.querySelector('[role=img][aria-label^="From "]') !== null;
    requestAnimationFrame(isThere ? () => resolve(performance.now() - begun) : look);
  };
  look();
})`;

/** From the response to recordPurchase to the frame in which the lab shows the event, in ms. */
async function delaysOfEvents(
  page: OpenPage['page'],
  operatorUrl: string,
  packageName: string,
): Promise<number[]> {
  await page.goto(`${operatorUrl}/console/apps/${packageName}/lab`);
  await page.getByRole('list', { name: 'Events' }).waitFor();
  const delays: number[] = [];
  for (let nth = 1; nth <= liveEvents; nth += 1) {
    const purchaseId = `live-${nth}`;
    const shown = page.waitForFunction(`document.body.textContent.includes('${purchaseId}')`);
    const response = await fetch(`${operatorUrl}/operator/v1/apps/${packageName}/purchases`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ purchaseId, productId: 'coins' }),
    });
    if (!response.ok) throw new Error(await response.text());
    const committed = performance.now();
    await shown;
    delays.push(performance.now() - committed);
  }
  return delays;
}
