// From the start of a server to the first page of the console, in a real browser.

import { expect, test } from 'vitest';
import {
  expectAccessible,
  expectAccessibleEverywhere,
  useConsole,
} from '../../../test/support/browser/browser.ts';
import { makeScratch } from '../../../test/support/embedded/scratch.ts';
import { supportKey } from '../../../test/support/harness.ts';
import { startOpentill } from '../../../test/support/start/opentill-process.ts';

const { open, openSignedIn } = await useConsole();

test('the link that a first start prints signs in and shows the overview', async () => {
  await using scratch = await makeScratch();
  const env = { OPENTILL_DATA_DIR: scratch.dataFolder };
  await using server = startOpentill({ env, args: ['--demo'] });
  await server.ready();
  const link = /console +(http:\S+#\S+)/.exec(server.output.stdout)?.[1] ?? '';
  await using page = await open();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(page.url()).toMatch(/\/console\/$/);
  await page.getByRole('button', { name: 'Session of admin' }).waitFor();
  await page.getByText('Everything is healthy').waitFor();
  await page.getByRole('region', { name: 'Sales today' }).waitFor();
  await page.getByRole('img', { name: /^Renewals, 30 columns/ }).waitFor();
  await expectAccessibleEverywhere(page);
});

test('a session that ends while a page is open asks to sign in above the page', async () => {
  await using page = await openSignedIn();
  // A call that is still waited for would not be made again.
  await page.waitForLoadState('networkidle');
  await page.context().clearCookies();
  // Returning to the window reads again what it shows.
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Your session has ended').waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('Operator key').fill(supportKey);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
});
