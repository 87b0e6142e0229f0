// The browser of a test file, and what every page must fulfil.

import { text } from 'node:stream/consumers';
import type { RunOptions } from 'axe-core';
import { chromium, type Page } from 'playwright-core';
import { afterAll, expect, inject } from 'vitest';
import { operatorOf, startTestServer, supportKey, type TestServerOptions, useForFile } from '../harness.ts';
import { violationsOf } from './accessibility.ts';
import { collectCalls } from './called-operations.ts';
import { openPage, type PageOptions, showScheme, sizes } from './page.ts';

export { showScheme } from './page.ts';

/** Opens pages of a test file, which are closed at its end: `const open = await useBrowser()`. */
export async function useBrowser(): Promise<(options?: PageOptions) => Promise<Page>> {
  const browser = await chromium.connect(inject('browserUrl'));
  const writeCalls = collectCalls(browser, inject('callsFolder'));
  afterAll(async () => {
    await browser.close();
    await writeCalls();
  });
  return (options) => openPage(browser, options);
}

/** The browser and the server of a test file: `const { openSignedIn, server } = await useConsole()`. */
export async function useConsole(options: TestServerOptions = {}) {
  const open = await useBrowser();
  const server = await useForFile(startTestServer(options));
  /** A page on which support is signed in, or the owner of the key. */
  const openSignedIn = async (session?: SessionOptions): Promise<Page> => {
    const page = await open();
    await signIn(page, server, session);
    return page;
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

/** Chooses the app of the pages above the navigation. */
export async function chooseApp(page: Page, packageName: string): Promise<void> {
  await page.getByRole('combobox', { name: 'App of the pages' }).fill(packageName);
  await page.getByRole('option', { name: packageName }).click();
}

/** Presses a button, and returns the name and the text of the file that it saves. */
export async function saveFile(page: Page, button: string): Promise<{ name: string; content: string }> {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  const saved = await saving;
  return { name: saved.suggestedFilename(), content: await text(await saved.createReadStream()) };
}

/** Asserts that axe finds nothing on the page as it is. */
export async function expectAccessible(page: Page, options?: RunOptions): Promise<void> {
  expect(await violationsOf(page, options)).toEqual([]);
}

/** The schemes differ in their colors only, and a narrow page has the colors of a wide one. */
export const contrastRules = ['color-contrast', 'link-in-text-block'];
const narrowRules: RunOptions = { rules: { 'color-contrast': { enabled: false } } };

/** Asserts that axe finds nothing in either color scheme and at any width, and that the page scrolls sideways at none. */
export async function expectAccessibleEverywhere(page: Page): Promise<void> {
  for (const size of [sizes.wide, sizes.narrow, sizes.medium]) {
    await page.setViewportSize(size);
    // After a change of its size, a page is laid out in several steps.
    await expect.poll(() => excessOf(page), { message: `at ${size.width}` }).toBe(0);
    if (size === sizes.narrow) await expectAccessible(page, narrowRules);
  }
  await expectAccessible(page);
  await showScheme(page, 'dark');
  await expectAccessible(page, { runOnly: contrastRules });
  await showScheme(page, 'light');
}

/** How far the page scrolls sideways in two frames: the first one reports a new size, the second one shows its layout. */
function excessOf(page: Page): Promise<number> {
  return page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    done(scrollWidth - clientWidth);
  })))`);
}
