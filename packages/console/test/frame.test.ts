// What every page has: keys and the calls of the page, in a real browser.

import { expect, test } from 'vitest';
import { supportKey } from '../../server/test/harness.ts';
import { expectAccessible, useConsole } from './browser.ts';

const { openSignedIn, server } = await useConsole();

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
  await help.getByText('Next and previous row').waitFor();
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

test('the calls of a page are shown as code without a secret', async () => {
  await using opened = await openSignedIn({ path: "/console/find?q=it's" });
  const { page, failures } = opened;
  await page.getByText('Nothing was found for').waitFor();
  const button = page.getByRole('button', { name: 'Calls of this page' });
  await button.click();
  const drawer = page.getByRole('dialog', { name: 'Calls of this page' });
  await drawer.getByText(`curl '${server.operatorUrl}/operator/v1/search?q=it%27s'`).waitFor();
  await expectAccessible(page);
  await drawer.getByText('TypeScript').click();
  await drawer.getByText('await operator.search({ q: "it\'s" });').waitFor();
  expect(await drawer.innerText()).not.toContain(supportKey);
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.waitForFunction("document.activeElement.title === 'Calls of this page'");
  expect(failures).toEqual([]);
});
