// The apps of the store and the tabs of an app, in a real browser.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, useConsole } from '../../../test/support/browser/browser.ts';
import { adminKey, newTestApp, readKey, supportKey } from '../../../test/support/harness.ts';

const { openSignedIn, operator, server } = await useConsole();

/** Everything that a page keeps or shows, in which a secret that was closed must not be. */
async function expectForgotten(page: Page, secret: string): Promise<void> {
  expect(page.url()).not.toContain(secret);
  expect(await page.content()).not.toContain(secret);
  const stored = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])',
  );
  expect(stored).not.toContain(secret);
}

async function takeSecret(page: Page, what: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name: `The new ${what}` });
  const secret = await dialog.locator('pre').innerText();
  await page.keyboard.press('Escape');
  expect(await dialog.isVisible()).toBe(true);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expectForgotten(page, secret);
  return secret;
}

const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the app' }).getByRole('link', { name }).click();

/** Chooses a reason in the open dialog, and confirms. */
async function confirm(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').selectOption('test');
  await dialog.getByRole('button', { name }).click();
  await dialog.waitFor({ state: 'detached' });
}

test('an admin creates an app, whose secret is shown once, and a product', async () => {
  await using page = await openSignedIn({ key: adminKey, path: '/console/apps' });
  await page.getByText('There are no active apps.').waitFor();
  await page.getByRole('link', { name: 'Lab' }).first().click();
  await page.getByText('-X POST').waitFor();
  await expectAccessible(page);
  await page.goBack();
  await page.getByRole('button', { name: 'Create an app' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Package name').fill('not a package');
  await dialog.getByRole('button', { name: /^Create/ }).click();
  await dialog.getByText('The values are not valid').waitFor();
  expect(await dialog.getByLabel('Package name').getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await dialog.getByLabel('Package name').fill('com.example.created');
  await dialog.getByLabel('Name', { exact: true }).fill('<b>Created</b>');
  await dialog.getByRole('button', { name: 'Create com.example.created' }).click();
  const secret = await takeSecret(page, 'client secret');
  expect(secret).toMatch(/^[\w-]{43}$/);
  await page.getByRole('heading', { name: '<b>Created</b>' }).waitFor();
  await tab(page, 'Products');
  await page.getByText('This app sells nothing yet.').waitFor();
  await page.getByRole('button', { name: 'Create a product' }).click();
  await dialog.getByLabel('Product id').fill('coins_100');
  await dialog.getByLabel('Price').fill('1,99');
  await dialog.getByLabel('Currency').fill('EUR');
  await dialog.getByRole('button', { name: 'Save coins_100' }).click();
  await page.getByRole('table', { name: 'Products' }).getByText('€1.99').waitFor();
  await page.getByRole('button', { name: 'Change coins_100' }).click();
  await dialog.getByLabel('Price').fill('2.99');
  await dialog.getByRole('button', { name: 'Save coins_100' }).click();
  await page.getByRole('table', { name: 'Products' }).getByText('€2.99').waitFor();
  await page.goto(`${server.operatorUrl}/console/lab`);
  await page.waitForURL('**/apps/com.example.created/lab');
});

test('the list of apps shows a disabled one on request', async () => {
  const [active, typo] = [await newTestApp(server), await newTestApp(server)];
  await operator.updateApp({ packageName: typo.packageName, disabled: true });
  await using page = await openSignedIn({ key: adminKey, path: '/console/apps' });
  const row = ({ packageName }: { packageName: string }) => page.getByText(packageName, { exact: true });
  await row(active).first().waitFor();
  expect(await row(typo).count()).toBe(0);
  await page.getByLabel('State').selectOption('all');
  await row(typo).first().waitFor();
  await row(active).first().waitFor();
});

test('an admin rotates the client secret, expels tokens, and renames, disables and enables an app', async () => {
  const { packageName } = await newTestApp(server);
  await using page = await openSignedIn({ key: adminKey, path: `/console/apps/${packageName}` });
  await tab(page, 'Credentials');
  const rotate = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Rotate the client secret' }).click();
    await page.getByRole('button', { name: `Rotate for ${packageName}` }).click();
  };
  await rotate();
  await page.getByText('The previous secret is valid until').waitFor();
  const first = await takeSecret(page, 'client secret');
  await rotate();
  await page.getByRole('dialog').getByText('Not possible in the current state').waitFor();
  await page.getByLabel('Rotate anyway').check();
  await page.getByRole('button', { name: `Rotate for ${packageName}` }).click();
  expect(await takeSecret(page, 'client secret')).not.toBe(first);
  await page.getByRole('button', { name: 'Expel all tokens' }).click();
  await expectAccessible(page);
  await confirm(page, `Expel the tokens of ${packageName}`);
  await page.getByText('All tokens up to').waitFor();

  await tab(page, 'Settings');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Renamed');
  await page.getByRole('button', { name: `Rename ${packageName}` }).click();
  await page.getByRole('heading', { name: 'Renamed' }).waitFor();
  await page.getByRole('button', { name: 'Disable the app' }).click();
  await page.getByText('its present tokens become invalid for good').waitFor();
  await confirm(page, `Disable ${packageName}`);
  await page.getByText('This app is disabled').waitFor();
  await page.getByRole('button', { name: 'Enable the app' }).click();
  await confirm(page, `Enable ${packageName}`);
  await page.getByText('The app is enabled.').waitFor();
  await page.getByRole('button', { name: 'Pause renewals' }).click();
  await confirm(page, `Pause the renewals of ${packageName}`);
  await page.getByText('Paused: 0 due').waitFor();
  await page.getByRole('button', { name: 'Resume renewals' }).click();
  await confirm(page, `Resume the renewals of ${packageName}`);
  await page.getByText('Not paused: 0 due').waitFor();

  await tab(page, 'Changes');
  const changes = page.getByRole('table', { name: 'Changes' }).locator('tbody tr');
  await changes.filter({ hasText: 'resumeRenewals' }).waitFor();
  expect(await changes.filter({ hasText: 'updateApp' }).count()).toBe(3);
});

test('events are listed newest first, a list whose page is gone offers its first, and support may change nothing', async () => {
  const { packageName } = await newTestApp(server);
  for (let count = 0; count < 52; count += 1)
    await operator.recordPurchase({ packageName, productId: 'coins' });
  const path = `/console/apps/${packageName}/events`;
  await using page = await openSignedIn({ key: supportKey, path });
  const rows = page.locator('tbody tr');
  await rows.nth(49).waitFor();
  await rows.first().getByText('52', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Next' }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await rows.last().getByText('1', { exact: true }).waitFor();
  for (const list of ['apps', `apps/${packageName}/purchases`]) {
    await page.goto(`${server.operatorUrl}/console/${list}?pageToken=none`);
    await page.getByText('The values are not valid').waitFor();
    await page.getByRole('link', { name: 'First page' }).waitFor();
    await expectAccessible(page);
  }
  await tab(page, 'Credentials');
  const button = page.getByRole('button', { name: 'Expel all tokens' });
  expect(await button.getAttribute('aria-description')).toBe('Needs the role admin');
  await button.click({ force: true });
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('a role that only reads is offered no change, on the pages of an app, of a subscription and in the lab', async () => {
  const { packageName } = await newTestApp(server);
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'monthly' });
  await operator.putFaults({ packageName, faults: [{ operation: 'charge', outcome: 'pending' }] });
  const path = `/console/apps/${packageName}/subscriptions/${purchaseId}`;
  await using page = await openSignedIn({ key: readKey, path });
  const changes = page.getByRole('main').getByRole('button');
  await page.getByText('active').first().waitFor();
  const names = [
    'Cancel',
    'Void',
    'Extend',
    'Price',
    'Expel',
    'Rotate',
    'Disable',
    'Pause',
    'Freeze',
    'Remove',
    'month',
  ];
  const offered = changes.filter({ hasText: new RegExp(names.join('|'), 'i') });
  expect(await offered.count()).toBe(0);
  for (const tabName of ['credentials', 'settings']) {
    await page.goto(`${server.operatorUrl}/console/apps/${packageName}/${tabName}`);
    await page.getByRole('tab', { selected: true }).or(page.locator('[aria-current=page]')).first().waitFor();
    expect(await offered.count()).toBe(0);
  }
  await page.goto(`${server.operatorUrl}/console/apps/${packageName}/lab`);
  await page.getByText('1. charge').waitFor();
  await page.getByRole('list', { name: 'Next stops' }).getByText('renewal').waitFor();
  expect(
    await page
      .getByRole('list', { name: /Next stops|Faults/ })
      .getByRole('button')
      .count(),
  ).toBe(0);
  expect(await offered.count()).toBe(0);
});
