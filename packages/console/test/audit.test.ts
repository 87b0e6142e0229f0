// The audit trail, and a store with many apps, in a real browser.

import { expect, test } from 'vitest';
import { expectAccessible, saveFile, useConsole } from '../../../test/support/browser/browser.ts';
import { csvRowsOf } from '../../../test/support/csv-rows.ts';
import { adminKey, newTestApp, operate, supportKey } from '../../../test/support/harness.ts';
import { query } from '../../../test/support/query.ts';

const { openSignedIn, server } = await useConsole();

test('the audit trail is filtered by the address, and says in words what was changed', async () => {
  const { packageName } = await newTestApp(server);
  await operate(server, 'PATCH', `/apps/${packageName}`, { body: { name: 'x' } });
  await using page = await openSignedIn({
    key: adminKey,
    path: `/console/audit?packageName=${packageName}&operationId=updateApp&from=2020-01-01`,
  });
  const rows = page.getByRole('table', { name: 'Actions' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(1);
  await rows.getByText('App changed: name "x"').waitFor();
  await page.goto(`${server.operatorUrl}/console/audit?by=operator:nobody`);
  await page.getByRole('button', { name: /^Remove/ }).waitFor();
  await expectAccessible(page);
});

test('a store with over 10,000 apps shows the first 50, saves all of them as CSV, and finds an app by a part of its name', async () => {
  await newTestApp(server);
  await query(
    server.connection,
    `insert into app (package_name, client_id, app_number, name, client_secret_hash, created_at)
      select 'com.many.n' || n, 'com.many.n' || n, n + 1000, 'Game ' || n, client_secret_hash, created_at
      from (select * from app limit 1) as app, generate_series(1, 10_000) n`,
  );
  await using page = await openSignedIn({ key: supportKey, path: '/console/apps' });
  const rows = page.getByRole('table', { name: 'Apps' }).locator('tbody tr');
  await rows.nth(49).waitFor();
  expect(await rows.count()).toBe(50);
  const { name, content } = await saveFile(page, 'Save as CSV');
  expect(name).toBe('apps.csv');
  const names = csvRowsOf(content).map(([packageName]) => packageName);
  // The apps and a row of headings.
  expect([names.length, new Set(names).size]).toEqual([10_003, 10_003]);
  await page.getByLabel('Name contains').fill('game 9999');
  await page.keyboard.press('Enter');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByText('com.many.n9999').first().waitFor();
});

test('the page shows why a file is not saved', async () => {
  await using page = await openSignedIn({ path: '/console/audit' });
  await page.getByRole('table', { name: 'Actions' }).waitFor();
  await page.route('**/operator/v1/actions*', (route) => route.abort());
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  await page.getByRole('alert').getByText('The server does not respond').first().waitFor();
});
