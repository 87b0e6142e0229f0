// The browser of a test file, and what every page must fulfil.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, expect, inject, test } from 'vitest';
import { launchBrowser, type OpenPage, openPage, type PageOptions } from './page.ts';

/** A test that needs a browser: skipped on a machine for which there is none. */
export const browserTest = test.runIf(inject('browser') !== null);

/** Starts the browser of a test file, which is closed at its end: `const open = await useBrowser()`. */
export async function useBrowser(): Promise<(options?: PageOptions) => Promise<OpenPage>> {
  const program = inject('browser');
  if (program === null) return () => Promise.reject(new Error('There is no browser.'));
  const browser = await launchBrowser(program);
  afterAll(() => browser.close());
  return (options) => openPage(browser, options);
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

declare const axe: { run(options: RunOptions): Promise<AxeResults> };

/** Asserts that axe finds nothing, and that the page is not wider than its window. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(await readFile(axePath, 'utf8'));
  const { violations } = await page.evaluate(() => axe.run({ resultTypes: ['violations'] }));
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
  expect(found).toEqual([]);
  const excess = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(excess).toBeLessThanOrEqual(0);
}
