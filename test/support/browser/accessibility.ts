// What axe finds on a page, for tests and for programs.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

declare const axe: { run(options: RunOptions): Promise<AxeResults> };

/** A line for each element that breaks a rule, on the page as it is. */
export async function violationsOf(page: Page, options: RunOptions = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await readFile(axePath, 'utf8'));
  const { violations } = await page.evaluate((options) => axe.run(options), {
    ...options,
    resultTypes: ['violations'],
  } satisfies RunOptions);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
