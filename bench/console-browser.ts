// Measures the console in a browser: its first page, and the picture of a long subscription.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { requireBrowser } from '../packages/console/test/browser-program.ts';
import { launchBrowser, type OpenPage, openPage } from '../packages/console/test/page.ts';
import type { App } from './apps.ts';
import { longSubscription } from './large-store.ts';
import { median, report } from './report.ts';
import { adminKey, type Listeners } from './servers.ts';

const rounds = 5;
const targets = { paintMs: 500, overviewMs: 1_000, pictureMs: 300 } as const;

const buildProgram = fileURLToPath(new URL('../packages/console/bin/build.ts', import.meta.url));

/** Builds the console, which a server serves as soon as it is there. */
export async function buildConsole(): Promise<void> {
  await promisify(execFile)(process.execPath, [buildProgram]);
}

export async function measureBrowser({ operatorUrl }: Listeners, { packageName }: App): Promise<void> {
  const browser = await launchBrowser(await requireBrowser());
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
