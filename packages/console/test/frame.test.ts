// What every page has, in a real browser.

import { expect, test } from 'vitest';
import { adminKey, newTestApp } from '../../server/test/harness.ts';
import {
  expectAccessible,
  expectAccessibleEverywhere,
  expectAccessibleInBothSchemes,
  useConsole,
} from './browser.ts';

const { openSignedIn, server, operator } = await useConsole();
const { packageName } = await newTestApp(server);

test('keys go to pages, open the palette and the help, and can be turned off', async () => {
  await using opened = await openSignedIn();
  const { page, failures } = opened;
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await page.getByRole('heading', { name: 'Find' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).getByLabel('Command').waitFor();
  await expectAccessible(page);
  await page.keyboard.insertText('overv');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keys' });
  await help.getByText('Copy the id of the page or row').waitFor();
  await expectAccessible(page);
  await help.getByLabel('Single keys').click();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await page.keyboard.press('/');
  expect(await page.getByRole('heading', { name: 'Overview' }).isVisible()).toBe(true);
  expect(await page.evaluate('document.activeElement.tagName')).not.toBe('INPUT');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).waitFor();
  expect(failures).toEqual([]);
});

test('the focus goes to the heading of a found record, so that its keys act at once', async () => {
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'coins' });
  await using opened = await openSignedIn();
  const { page, failures } = opened;
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.insertText(purchaseId);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Void' }).waitFor();
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
  expect(await page.getByRole('combobox', { name: 'Find' }).inputValue()).toBe('');
  await page.keyboard.press('v');
  await page.getByRole('dialog', { name: 'Void a purchase' }).waitFor();
  expect(failures).toEqual([]);
});

test('the find box offers hits while typing, and the records opened last when it is empty', async () => {
  await using opened = await openSignedIn();
  const { page, failures } = opened;
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.insertText(packageName.slice(0, -1));
  await page.getByRole('option', { name: packageName }).first().waitFor();
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
  await page.keyboard.press('/');
  await page.getByRole('listbox', { name: 'Opened last' }).getByText(packageName).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
  expect(await page.evaluate('document.activeElement.name')).not.toBe('find');
  expect(failures).toEqual([]);
});

test('the first Tab stop skips to the content', async () => {
  await using opened = await openSignedIn({ path: '/console/audit' });
  const { page, failures } = opened;
  await page.getByRole('heading', { name: 'Audit' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Audit');
  expect(failures).toEqual([]);
});

test('the palette offers pages first, then what changes something with its object, and last what ends something', async () => {
  await using opened = await openSignedIn({ path: `/console/apps/${packageName}/settings`, key: adminKey });
  const { page, failures } = opened;
  await page.getByRole('button', { name: 'Disable the app' }).waitFor();
  await page.keyboard.press('Control+k');
  const actions = page.getByRole('dialog', { name: 'Commands' }).locator('.mantine-Spotlight-action');
  await actions.filter({ hasText: `Disable the app: ${packageName}` }).waitFor();
  const labels = await actions.allInnerTexts();
  const firstChange = labels.findIndex((label) => label.includes(`: ${packageName}`));
  expect(labels.findLastIndex((label) => label.startsWith('Go to'))).toBeLessThan(firstChange);
  expect(labels.at(-1)).toMatch(/^(?:Disable|Pause)/);
  await page.keyboard.insertText(packageName.slice(0, -1));
  await actions.filter({ hasText: `App ${packageName}` }).click();
  await page.waitForURL(`**/apps/${packageName}/overview`);
  expect(failures).toEqual([]);
});

test('the app switcher sets the filter of the pages that have one', async () => {
  await using opened = await openSignedIn({ path: '/console/audit' });
  const { page, failures } = opened;
  await page.getByRole('button', { name: 'App: All apps' }).click();
  const dialog = page.getByRole('dialog', { name: 'Choose an app' });
  await dialog.getByLabel('Name contains').fill(packageName);
  await dialog.getByRole('button', { name: packageName }).click();
  await page.waitForURL(`**/audit?packageName=${packageName}`);
  await page.getByRole('link', { name: 'Subscriptions' }).click();
  await page.waitForURL(`**/subscriptions?packageName=${packageName}`);
  await page.getByRole('button', { name: `App: ${packageName}`, exact: true }).waitFor();
  await expectAccessibleEverywhere(page);
  expect(failures).toEqual([]);
});

test('a page that an outage keeps from loading says so in the console, and is shown as soon as the server answers', async () => {
  await using opened = await openSignedIn();
  const { page, failures } = opened;
  await page.route('**/audit-page*', (route) => route.abort());
  await page.reload();
  await page.getByText('Everything is healthy').waitFor();
  await page.context().setOffline(true);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
  await page.getByText(/^No answer since/).waitFor();
  await expectAccessibleInBothSchemes(page);
  await page.unroute('**/audit-page*');
  await page.context().setOffline(false);
  await page.getByRole('table', { name: 'Actions' }).waitFor();
  expect(await page.getByText(/^No answer since/).count()).toBe(0);
  expect(failures.filter((text) => !/ERR_|dynamically imported/.test(text))).toEqual([]);
});

test('one bar reports an outage, and the panels wait for the server', async () => {
  await using opened = await openSignedIn({ path: '/console/webhooks' });
  const { page } = opened;
  await page.getByText('No app has a webhook.').waitFor();
  await page.route('**/operator/v1/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText(/^No answer since/).waitFor();
  await page.getByText('Waiting for the server.').first().waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('button', { name: 'Retry now' }).click();
  await page.unroute('**/operator/v1/**');
  await page.getByText('Everything is healthy').waitFor();
  await page.getByText(/^No answer since/).waitFor({ state: 'detached' });
});
