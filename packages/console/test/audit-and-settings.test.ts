// The audit trail, the settings, and the pause of all renewals, in a real browser.

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { query } from '../../server/test/embedded/scratch.ts';
import { adminKey, newTestApp, operate, supportKey } from '../../server/test/harness.ts';
import { expectAccessible, expectAccessibleInBothSchemes, useConsole } from './browser.ts';

const { openSignedIn, server } = await useConsole();

test('an admin pauses and resumes the renewals of all apps in the settings', async () => {
  await using opened = await openSignedIn({ key: adminKey, path: '/console/settings' });
  const { page, failures } = opened;
  await page.getByRole('button', { name: 'Pause all renewals' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').selectOption('malfunction');
  await dialog.getByLabel('Note').fill('The provider reports an outage');
  await dialog.getByRole('button', { name: 'Pause the renewals of all apps' }).click();
  await page.getByText('Renewals of all apps are paused').waitFor();
  await page.getByText('The provider reports an outage').waitFor();
  await expectAccessible(page);
  const { packageName } = await newTestApp(server);
  await page.goto(`${server.operatorUrl}/console/apps/${packageName}/settings`);
  await page.getByRole('link', { name: 'settings of the store' }).click();
  await page.getByRole('button', { name: 'Resume all renewals' }).click();
  await dialog.getByLabel('Reason').selectOption('other');
  await dialog.getByLabel('Note').fill('It works again');
  await dialog.getByRole('button', { name: 'Resume the renewals of all apps' }).click();
  await page.getByText('Not paused as a whole: 0 due').waitFor();
  expect(failures).toEqual([]);
});

test('the audit trail is filtered by the address', async () => {
  const { packageName } = await newTestApp(server);
  await operate(server, 'PATCH', `/apps/${packageName}`, { body: { name: 'x' } });
  await using opened = await openSignedIn({
    key: adminKey,
    path: `/console/audit?packageName=${packageName}&operationId=updateApp&from=2020-01-01`,
  });
  const { page, failures } = opened;
  const rows = page.getByRole('table', { name: 'Actions' }).locator('tbody tr');
  await rows.getByText('updateApp').waitFor();
  expect(await rows.count()).toBe(1);
  await expectAccessibleInBothSchemes(page);
  await page.goto(`${server.operatorUrl}/console/audit?by=admin`);
  await rows.first().getByText('admin', { exact: true }).waitFor();
  await page.goto(`${server.operatorUrl}/console/audit?by=operator:nobody`);
  await page
    .getByRole('button', { name: /Remove|remove/ })
    .first()
    .waitFor();
  await expectAccessible(page);
  expect(failures).toEqual([]);
});

test('the settings show the session, keep preferences, and sign out', async () => {
  await using opened = await openSignedIn({ key: adminKey, path: '/console/settings' });
  const { page, failures } = opened;
  await page.getByRole('region', { name: 'Server' }).getByText('sandbox').waitFor();
  await page.getByLabel('Time zone of instants').selectOption('utc');
  await page.getByLabel('Single keys act').uncheck();
  await page.reload();
  await page.getByLabel('Time zone of instants').waitFor();
  await expect.poll(() => page.getByLabel('Time zone of instants').inputValue()).toBe('utc');
  expect(await page.getByLabel('Single keys act').isChecked()).toBe(false);
  await expectAccessibleInBothSchemes(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Operator key').waitFor();
  expect(failures).toEqual([]);
});

test('a store with over 10,000 apps shows the first 50, saves 10,000 as CSV, and finds an app by a part of its name', async () => {
  await newTestApp(server);
  await query(
    server.connection,
    `insert into app (package_name, client_id, app_number, name, client_secret_hash, created_at)
      select 'com.many.n' || n, 'com.many.n' || n, n + 1000, 'Game ' || n, client_secret_hash, created_at
      from (select * from app limit 1) as app, generate_series(1, 10_000) n`,
  );
  await using opened = await openSignedIn({ key: supportKey, path: '/console/apps' });
  const { page, failures } = opened;
  const rows = page.getByRole('table', { name: 'Apps' }).locator('tbody tr');
  await rows.nth(49).waitFor();
  expect(await rows.count()).toBe(50);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe('apps.csv');
  const lines = (await readFile(await saved.path(), 'utf8')).split('\r\n');
  expect([lines.length, new Set(lines).size]).toEqual([10_002, 10_002]);
  await page.getByLabel('Name contains').fill('game 9999');
  await page.keyboard.press('Enter');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByText('com.many.n9999').first().waitFor();
  expect(await page.getByRole('button', { name: 'Create an app' }).getAttribute('aria-description')).toBe(
    'Needs the role admin',
  );
  await expectAccessibleInBothSchemes(page);
  expect(failures).toEqual([]);
});
