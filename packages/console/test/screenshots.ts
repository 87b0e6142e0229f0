// npm run console:screenshots [folder] [names]: pictures of every page in a sandbox and in a large production store, on three
// widths, light and dark, for people to look at. Those of the README are subscription- and app-lab-sandbox-1440-light.

import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { requireBrowser } from '../../../test/support/browser/browser-program.ts';
import { launchBrowser, openPage, sizes } from '../../../test/support/browser/page.ts';
import { isComplete, pagesOf, type Store, stores } from './shown-stores.ts';

/** Only pages whose name starts with a match of the second argument are taken: `find|buyer`. */
const [folder = 'dist/screenshots', names = ''] = process.argv.slice(2);

const buildProgram = fileURLToPath(new URL('../bin/build.ts', import.meta.url));

/** Between the other two widths, pages differ in their number of columns. */
const mediumPages = /^(?:overview|app-lab)$/;

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

for (const [environment, start] of Object.entries(stores)) {
  await using store = await start();
  await takePictures(browser, store, environment);
}
