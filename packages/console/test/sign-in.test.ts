// From the start of a server to the first page of the console, in a real browser.

import { expect, test } from 'vitest';
import { builtConsole } from '../../server/src/program/console.ts';
import { makeScratch } from '../../server/test/embedded/scratch.ts';
import {
  createTestApp,
  freshDatabase,
  operate,
  startTestServer,
  supportKey,
  useForFile,
} from '../../server/test/harness.ts';
import { setClockMark } from '../../server/test/stage.ts';
import { startOpentill } from '../../server/test/start/opentill-process.ts';
import { expectAccessible, expectAccessibleInBothSchemes, signIn, useBrowser } from './browser.ts';

const open = await useBrowser();

test('the link that a first start prints signs in and shows the overview, in both color schemes', async () => {
  await using scratch = await makeScratch();
  const env = { OPENTILL_DATA_DIR: scratch.dataFolder };
  await using server = startOpentill({ env, args: ['--demo'] });
  await server.ready();
  const link = /console +(http:\S+#\S+)/.exec(server.output.stdout)?.[1] ?? '';
  await using opened = await open();
  const { page, failures } = opened;
  await page.goto(link);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(page.url()).toMatch(/\/console\/$/);
  await page.getByRole('button', { name: 'Session of admin' }).waitFor();
  await page.getByText('Everything is healthy').waitFor();
  await page.getByRole('region', { name: 'Sales today' }).waitFor();
  await expectAccessibleInBothSchemes(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('region', { name: 'Sales today' }).waitFor();
  await expectAccessible(page);
  expect(failures).toEqual([]);
});

const server = await useForFile(startTestServer({ console: builtConsole }));

test.each(['sandbox', 'production'])(
  'a key signs in on the page that was opened, and signing out ends the session, in %s',
  async (environment) => {
    await using database = await freshDatabase();
    const env = { OPENTILL_ENVIRONMENT: environment };
    await using server = await startTestServer({ console: builtConsole, database, env });
    await using opened = await open();
    const { page, failures } = opened;
    await page.goto(`${server.operatorUrl}/console/`);
    await page.getByLabel('Operator key').fill('a-wrong-operator-key');
    await page.keyboard.press('Enter');
    await page.getByText('key: expected an operator key of this server.').waitFor();
    await expectAccessibleInBothSchemes(page);
    await page.getByLabel('Operator key').fill(supportKey);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Session of helpdesk' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await expectAccessibleInBothSchemes(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Operator key').waitFor();
    await page.reload();
    await page.getByLabel('Operator key').waitFor();
    expect(failures).toEqual([]);
  },
);

test('a link signs in although the page learns only later that nobody was signed in before', async () => {
  const created = await operate(server, 'POST', '/console-links', { body: { role: 'support' } });
  await using opened = await open();
  const { page } = opened;
  const signedIn = page.waitForResponse((response) => response.status() === 201);
  await page.route('**/sessions/current', async (route) => {
    const response = await route.fetch();
    await signedIn;
    await route.fulfill({ response });
  });
  await page.goto(server.operatorUrl + created.body.path);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
});

test('a session that ends while a page is open asks to sign in above the page', async () => {
  await using opened = await open();
  const { page, failures } = opened;
  await signIn(page, server);
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
  expect(failures).toEqual([]);
});

test('production is marked in the bar and in the title, shows held renewals, and is as accessible as the sandbox', async () => {
  const env = { OPENTILL_ENVIRONMENT: 'production' };
  await using database = await freshDatabase();
  await setClockMark(database, 0);
  await using production = await startTestServer({
    console: builtConsole,
    comparesClocks: true,
    ...{ database, env },
  });
  await using opened = await open();
  const { page, failures } = opened;
  await signIn(page, production);
  await page.getByRole('banner').getByText('Production', { exact: true }).waitFor();
  await page.getByText('Renewals wait', { exact: true }).waitFor();
  expect(await page.title()).toBe('Overview - OpenTill production');
  await page.goto(`${production.operatorUrl}/console/lab`);
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  await page.goBack();
  await page.getByText('Renewals wait', { exact: true }).waitFor();
  await expectAccessibleInBothSchemes(page);
  expect(failures).toEqual([]);
});

test('while the server is away, the page says so and keeps showing what it has', async () => {
  await using database = await freshDatabase();
  await using own = await startTestServer({ console: builtConsole, database });
  await createTestApp(own, 'com.example.shown');
  await using opened = await open();
  const { page, failures } = opened;
  await signIn(page, own);
  const shown = page.getByText('Everything is healthy');
  await shown.waitFor();
  await page.getByText('Nothing was sold').waitFor();
  await own.stop();
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await page.getByText(/^The server does not answer/).waitFor();
  expect(await shown.isVisible()).toBe(true);
  await expectAccessible(page);
  expect(failures).toEqual([]);
});
