// The browser of a test file, and what every page must fulfil.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, expect, inject } from 'vitest';
import { builtConsole } from '../../server/src/program/console.ts';
import { operatorOf, startTestServer, supportKey, useForFile } from '../../server/test/harness.ts';
import { collectCalls } from './called-operations.ts';
import { launchBrowser, type OpenPage, openPage, type PageOptions, sizes } from './page.ts';

/** Starts the browser of a test file, which is closed at its end: `const open = await useBrowser()`. */
export async function useBrowser(): Promise<(options?: PageOptions) => Promise<OpenPage>> {
  const browser = await launchBrowser(inject('browser'));
  const writeCalls = collectCalls(browser, inject('callsFolder'));
  afterAll(async () => {
    await browser.close();
    await writeCalls();
  });
  return (options) => openPage(browser, options);
}

type ConsoleOptions = NonNullable<Parameters<typeof startTestServer>[0]> & {
  readonly environment?: 'production' | 'sandbox';
};

/** The browser and the server of a test file: `const { openSignedIn, server } = await useConsole()`. */
export async function useConsole({ environment = 'sandbox', env, ...options }: ConsoleOptions = {}) {
  const open = await useBrowser();
  const server = await useForFile(
    startTestServer({
      console: builtConsole,
      env: { OPENTILL_ENVIRONMENT: environment, ...env },
      ...options,
    }),
  );
  /** A page on which support is signed in, or the owner of the key. */
  const openSignedIn = async (session?: SessionOptions): Promise<OpenPage> => {
    const opened = await open();
    await signIn(opened.page, server, session);
    return opened;
  };
  return { open, openSignedIn, server, operator: operatorOf(server) };
}

interface SessionOptions {
  readonly key?: string;
  readonly path?: string;
}

/** Signs in without the form, opens a page, and returns when it is shown. */
export async function signIn(
  page: Page,
  { operatorUrl }: { readonly operatorUrl: string },
  { key = supportKey, path = '/console/' }: SessionOptions = {},
): Promise<void> {
  const signedIn = await page.context().request.post(`${operatorUrl}/operator/v1/sessions`, {
    headers: { 'sec-fetch-site': 'same-origin' },
    data: { key },
  });
  expect(signedIn.status()).toBe(201);
  await page.goto(operatorUrl + path);
  await page.getByRole('banner').waitFor();
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

declare const axe: { run(options: RunOptions): Promise<AxeResults> };

/** Asserts the same in both color schemes, and on a narrow window. */
export async function expectAccessibleEverywhere(page: Page): Promise<void> {
  await resize(page, sizes.narrow);
  await expectAccessible(page);
  await resize(page, sizes.wide);
  await expectAccessibleInBothSchemes(page);
}

/** Changes the size of the window, and returns when the page has been laid out for it. */
async function resize(page: Page, size: { readonly width: number; readonly height: number }): Promise<void> {
  await page.setViewportSize(size);
  // The first frame reports the new size to the page, the second one shows the new layout.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** The schemes differ in their colors only. */
export async function expectAccessibleInBothSchemes(page: Page): Promise<void> {
  await showScheme(page, 'dark');
  await expectAccessible(page, { runOnly: ['color-contrast', 'link-in-text-block'] });
  await showScheme(page, 'light');
  await expectAccessible(page);
}

/** Switches the color scheme of the system, and returns when the page has followed. */
export async function showScheme(page: Page, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
}

/** A narrow page has the same colors as a wide one. */
const narrowRules: RunOptions = { rules: { 'color-contrast': { enabled: false } } };

/** Asserts that axe finds nothing, and that the page is not wider than its window. */
export async function expectAccessible(page: Page, options: RunOptions = {}): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await readFile(axePath, 'utf8'));
  const { violations } = await page.evaluate((options) => axe.run(options), {
    ...(page.viewportSize()?.width === sizes.narrow.width && narrowRules),
    ...options,
    resultTypes: ['violations'],
  } satisfies RunOptions);
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
  expect(found).toEqual([]);
  // After a change of its size, a page is laid out in several steps.
  const excess = () =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  await expect.poll(excess).toBeLessThanOrEqual(0);
}
