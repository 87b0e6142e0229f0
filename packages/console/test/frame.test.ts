// What every page has, in a real browser.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { chooseApp, expectAccessible, useConsole } from '../../../test/support/browser/browser.ts';
import { newTestApp } from '../../../test/support/harness.ts';

const { openSignedIn, operator, server } = await useConsole();
const { packageName } = await newTestApp(server);

const findBox = (page: Page) => page.getByRole('combobox', { name: 'Find' });

test('of what is typed from / on, nothing is lost and nothing else opens, on the first load of a page', async () => {
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'coins' });
  await operator.recordPurchase({ packageName, productId: 'monthly', purchaseId: 'S-1' });
  await using page = await openSignedIn();
  const app = `apps/${packageName}`;
  const pages = ['', 'audit', 'purchases', `${app}/purchases/${purchaseId}`, `${app}/subscriptions/S-1`];
  for (const path of [...pages, `${app}/lab`]) {
    const session = Promise.withResolvers<void>();
    await page.route('**/sessions/current', (route) => session.promise.then(() => route.continue()));
    await page.goto(`${server.operatorUrl}/console/${path}`, { waitUntil: 'commit' });
    await page.getByLabel('Loading', { exact: true }).waitFor();
    await page.keyboard.type('/ORDER');
    session.resolve();
    await findBox(page).waitFor();
    await page.keyboard.type('-56-3?vcm.');
    expect(await findBox(page).inputValue(), path).toBe('ORDER-56-3?vcm.');
    expect(await page.getByRole('dialog').count(), path).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    // Assets that are loaded on demand never arrive.
    await page.route('**/assets/**', () => undefined);
    await page.keyboard.type('/v c.');
    expect(await findBox(page).inputValue(), path).toBe('v c.');
    await page.unrouteAll();
  }
});

test('keys open the find box and the help, go from record to record, and single keys can be turned off', async () => {
  await using page = await openSignedIn();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByText('Compares whole ids').waitFor();
  await page.keyboard.insertText('aud');
  await page.getByRole('option', { name: 'Audit' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Audit' }).waitFor();
  await page.getByRole('listbox').waitFor({ state: 'detached' });
  await page.getByRole('table').getByRole('link').first().waitFor();
  for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
  expect(await page.evaluate('document.activeElement.closest("tr").rowIndex')).toBe(1);
  await page.keyboard.down('/');
  await page.keyboard.down('/');
  await page.keyboard.up('/');
  expect(await findBox(page).inputValue()).toBe('');
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keys' });
  await help.getByText('Void the purchase of the page').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('Single-key shortcuts').click();
  await page.getByRole('heading', { name: 'Settings' }).click();
  await page.keyboard.press('/');
  await page.keyboard.press('?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.getByRole('listbox').count()).toBe(0);
  await page.keyboard.press('Control+k');
  await page.getByRole('listbox').waitFor();
});

test('the first Tab stop skips to the content, and nothing moves under reduced motion, not even a skeleton', async () => {
  await using page = await openSignedIn({ path: '/console/settings' });
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Settings');
  await page.route('**/operator/v1/actions*', () => undefined);
  await page.getByRole('link', { name: 'Audit', exact: true }).click();
  await page.locator('.mantine-Skeleton-root').first().waitFor();
  expect(await page.evaluate('document.getAnimations().length')).toBe(0);
});

test('the app above the navigation is that of the page, and the filter of the pages that have one', async () => {
  const other = await newTestApp(server);
  await using page = await openSignedIn({ path: '/console/audit' });
  const app = page.getByRole('combobox', { name: 'App of the pages' });
  await chooseApp(page, packageName);
  await page.waitForURL(`**/audit?packageName=${packageName}`);
  await page.getByRole('link', { name: 'Subscriptions' }).click();
  await page.waitForURL(`**/subscriptions?packageName=${packageName}`);
  await page.goto(`${server.operatorUrl}/console/apps/${other.packageName}/purchases/P-1`);
  await expect.poll(() => app.inputValue()).toBe(other.packageName);
  await chooseApp(page, packageName);
  await page.waitForURL(`**/apps/${packageName}/purchases`);
  const allApps = page.getByRole('option', { name: 'All apps' });
  // The page that opens has its own list of apps, which an arrow opens and never closes.
  const isOffered = async () => {
    await app.press('ArrowDown');
    return allApps.isVisible();
  };
  await expect.poll(isOffered).toBe(true);
  await allApps.click();
  await page.waitForURL('**/apps');
});

test('one line reports an outage with the age of the data, and the panels wait for the server', async () => {
  await using page = await openSignedIn({ path: '/console/webhooks' });
  await page.getByText(/^No app has a webhook/).waitFor();
  await page.route('**/operator/v1/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText(/What is shown is \d+ s old\.$/).waitFor();
  await page.getByText('Waiting for the server.').first().waitFor();
  await expectAccessible(page);
  await page.unroute('**/operator/v1/**');
  await page.getByText('Everything is healthy').waitFor();
  await page.getByText('The server is not responding.').waitFor({ state: 'detached' });
});

/** Presses keys as a keyboard of another layout does, which Playwright cannot name. */
async function foreignKeys(page: Page) {
  const session = await page.context().newCDPSession(page);
  return async (key: string, code: string, { ctrl = false, keyCode = 0 } = {}): Promise<void> => {
    const pressed = { key, code, windowsVirtualKeyCode: keyCode, modifiers: ctrl ? 2 : 0 };
    await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...pressed });
    await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed });
  };
}

test('shortcuts work under Korean, Russian and Greek layouts, follow the letters of a Latin one, and leave an input method its keys', async () => {
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'coins' });
  const path = `/console/apps/${packageName}/purchases/${purchaseId}`;
  await using page = await openSignedIn({ path });
  await page.getByRole('button', { name: 'Void' }).waitFor();
  const press = await foreignKeys(page);
  const voiding = page.getByRole('dialog', { name: 'Void a purchase' });
  const help = page.getByRole('dialog', { name: 'Keys' });
  // On Dvorak, the key of a Latin V types k. 229 is the code of every key that an input method has taken.
  await press('k', 'KeyV');
  await press('Process', 'KeyV', { keyCode: 229 });
  await press('ㅍ', 'KeyV', { keyCode: 229 });
  await press('л', 'KeyK', { ctrl: true, keyCode: 229 });
  for (const key of ['ㅍ', 'м', 'ω', 'v']) {
    expect(await page.getByRole('dialog').count()).toBe(0);
    await press(key, key === 'v' ? 'Period' : 'KeyV');
    await voiding.waitFor();
    await page.keyboard.press('Escape');
    await voiding.waitFor({ state: 'detached' });
  }
  await press('?', 'Digit7');
  await help.waitFor();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  for (const key of ['ㅏ', 'л', 'κ', 'k']) {
    await press(key, 'KeyK', { ctrl: true });
    await page.getByRole('listbox').waitFor();
    await page.keyboard.insertText('audit');
    // Enter chooses what is composed, and Escape drops it.
    await press('Enter', 'Enter', { keyCode: 229 });
    await press('Escape', 'Escape', { keyCode: 229 });
    await page.getByRole('option', { name: 'Audit', exact: true }).waitFor();
    expect(page.url()).toContain(path);
    await page.keyboard.press('Escape');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
  }
});

test('a pasted id is found as it is and, if nothing has it, without what surrounds it: in the find box, in links, in searches and in filters', async () => {
  const sold = { packageName, productId: 'coins' };
  await operator.recordPurchase({
    ...sold,
    purchaseId: '20260315000000000001',
    orderId: 'order 7',
    buyerId: ' ann',
  });
  await operator.recordPurchase({ ...sold, purchaseId: 'P-of-bob', orderId: 'order 8', buyerId: 'bob' });
  await operator.recordPurchase({ ...sold, orderId: 'bob' });
  await using page = await openSignedIn();
  const at = (path: string) => page.goto(`${server.operatorUrl}/console${path}`);
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
  const rows = page.getByRole('table', { name: /^(?:Purchases|Bought)/ }).locator('tbody tr');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('/');
  // As a CSV file has it, copied with what a chat puts around it.
  await findBox(page).fill("\u2068\u00a0'20260315000000000001\u200b\u2069");
  await page.getByRole('option', { name: 'Purchase 20260315000000000001' }).click();
  await page.waitForURL(`**/apps/${packageName}/purchases/20260315000000000001`);
  await at(`/apps/${packageName}%E2%80%8B/purchases/%EF%BB%BFP-of-bob%C2%A0`);
  await page.getByText('order 8').first().waitFor();
  await at('/find?orderId=%E2%80%8Border+7%0A&unknown=1');
  await page.waitForURL(`**/apps/${packageName}/purchases/20260315000000000001`);
  await at('/find?q=bob');
  const found = page.getByRole('list', { name: 'Found' });
  await found.getByText('Buyer bob').waitFor();
  await found.getByText(/^Purchase ./).waitFor();
  await expectAccessible(page);
  // A buyer id may begin with a space.
  await at(`/buyer?${new URLSearchParams({ id: ' ann' })}`);
  await expect.poll(() => rows.count()).toBe(1);
  await at(`/buyer?${new URLSearchParams({ id: '\u3000bob\ufeff' })}`);
  await page.waitForURL('**/buyer?id=bob');
  await expect.poll(() => rows.count()).toBe(1);
  await at('/purchases');
  await heading('Purchases').waitFor();
  const buyer = page.getByRole('search').getByLabel('Order, purchase or buyer');
  for (const [typed, id, count] of [
    [' ann', ' ann', 1],
    ['\u2067bob ', 'bob', 2],
  ] as const) {
    await buyer.fill(typed);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/purchases?${new URLSearchParams({ id })}`);
    await expect.poll(() => rows.count()).toBe(count);
  }
  await at(`/purchases?${new URLSearchParams({ packageName: `\u200b${packageName} ` })}`);
  await rows.first().waitFor();
});
