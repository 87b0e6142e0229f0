// npm run console:open [environments] [names]: opens everything that opens (find box, menus, dialogs, pickers, details) on every
// page, in both environments and both color schemes, and fails if axe finds something.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Locator, Page } from 'playwright-core';
import { violationsOf } from '../../../test/support/browser/accessibility.ts';
import { requireBrowser } from '../../../test/support/browser/browser-program.ts';
import { launchBrowser, openPage, showScheme } from '../../../test/support/browser/page.ts';
import { isComplete, pagesOf, type Store, stores } from './shown-stores.ts';

/** Only environments and pages whose name starts with a match are opened. */
const [environments = '', names = ''] = process.argv.slice(2);

const buildProgram = fileURLToPath(new URL('../bin/build.ts', import.meta.url));

/** They act, or leave the page, and open nothing. */
const acts =
  /^(?:Send a test|Sign out|Run|Freeze|Next|First page|Earlier|Later|\+1|Expire token|Add|Void$|Cancel$|Save as CSV|Copy|Retry|Resume$|Remove|Skip|\d)/;

const opened = '[role="dialog"], [role="menu"], .mantine-Popover-dropdown, [role="listbox"]';

const found = new Set<string>();
let looks = 0;

async function look(page: Page, what: string): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await showScheme(page, scheme);
    looks += 1;
    for (const line of await violationsOf(page)) {
      if (!found.has(`${scheme} ${line}`)) console.log(`${what}, ${scheme}: ${line}`);
      found.add(`${scheme} ${line}`);
    }
  }
}

/** What opens is there after some frames. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(
    `new Promise((done) => { let left = 20; const next = () => left-- > 0 ? requestAnimationFrame(next) : done(); next(); })`,
  );
}

/** Opens what a button opens, and what that has: a menu leads to a dialog, and a choice in a dialog to its fields. */
async function openFrom(page: Page, button: Locator, what: string): Promise<void> {
  await button.click();
  const layer = page.locator(opened).filter({ visible: true });
  await settle(page);
  if ((await layer.count()) === 0) return;
  await look(page, what);
  const item = page.getByRole('menuitem').first();
  if (await item.isVisible()) {
    if (await item.isEnabled()) await openFrom(page, item, `${what} > ${await item.innerText()}`);
  }
  for (const choice of await layer.locator('.mantine-SegmentedControl-label').all()) {
    await choice.click();
    await look(page, `${what} > ${await choice.innerText()}`);
  }
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await settle(page);
}

async function openAll(page: Page, address: string, name: string): Promise<void> {
  console.log(name);
  await page.goto(address);
  await isComplete(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.insertText('com.');
  await page.getByRole('option', { name: /^App / }).first().waitFor();
  await look(page, `${name}: find box`);
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await look(page, `${name}: keys`);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
  await look(page, name);
  const known = new Set<string>();
  for (const button of await page
    .locator('main button:enabled, header button:enabled, nav [role="combobox"]')
    .all()) {
    if (!(await button.isVisible())) continue;
    const label =
      (await button.getAttribute('aria-label')) ?? (await button.innerText()).split('\n')[0] ?? '';
    // Rows have the same buttons.
    const kind = label.split(' ')[0] ?? '';
    if (acts.test(label) || known.has(kind) || (await button.getAttribute('aria-disabled')) === 'true')
      continue;
    known.add(kind);
    await openFrom(page, button, `${name}: ${label}`);
  }
}

async function openStore(browser: Browser, store: Store, environment: string): Promise<void> {
  await using page = await openPage(browser);
  await page.goto(`${store.operatorUrl}/console/`);
  await page.getByLabel('Operator key').waitFor();
  await look(page, `${environment} sign-in`);
  await page.getByLabel('Operator key').fill(store.operatorKey);
  await page.keyboard.press('Enter');
  await page.getByRole('banner').waitFor();
  for (const [name, path] of Object.entries(await pagesOf(store))) {
    if (new RegExp(`^(?:${names})`).test(name))
      await openAll(page, `${store.operatorUrl}/console/${path}`, `${environment} ${name}`);
  }
}

await promisify(execFile)(process.execPath, [buildProgram]);
const program = await requireBrowser();
await using stack = new AsyncDisposableStack();
const browser = await launchBrowser(program);
stack.defer(() => browser.close());
for (const [environment, start] of Object.entries(stores)) {
  if (!environment.startsWith(environments)) continue;
  await using store = await start();
  await openStore(browser, store, environment);
}
console.log(`${looks} states of pages, ${found.size} violations`);
process.exitCode = found.size === 0 ? 0 : 1;
