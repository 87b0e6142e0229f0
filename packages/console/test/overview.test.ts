// The numbers of the overview, in a real browser.

import { expect, test } from 'vitest';
import { chooseApp, useConsole } from '../../../test/support/browser/browser.ts';
import { newTestApp, useForFile } from '../../../test/support/harness.ts';
import { countAll } from '../../../test/support/statistics/counting.ts';
import { openDatabase } from '../../../test/support/store/open-database.ts';

const { openSignedIn, operator, server } = await useConsole();
const database = await useForFile(openDatabase(server.connection, 3));

test('a store without sales shows the three calls that fill it', async () => {
  await using page = await openSignedIn();
  const calls = page.getByRole('region', { name: 'Sales, 30 days' }).locator('pre');
  const found = (await calls.innerText()).matchAll(/-X (\S+) \S*\/operator\/v1([^\s']+)/g);
  expect([...found].map(([, method, path]) => `${method} ${path}`)).toEqual([
    'POST /apps',
    'PUT /apps/com.example.game/products/coins_100',
    'POST /apps/com.example.game/purchases',
  ]);
});

test('in the sandbox the numbers are those of the chosen app, by its clock: a period that is not paid is open, not renewed', async () => {
  const { packageName } = await newTestApp(server);
  await operator.putClock({ packageName, mode: 'frozen' });
  for (const purchaseId of ['S-paid', 'S-declined', 'S-pending'])
    await operator.recordPurchase({ packageName, productId: 'monthly', purchaseId });
  await operator.putFaults({
    packageName,
    faults: [
      { operation: 'charge', outcome: 'declined', firstPurchaseId: 'S-declined' },
      { operation: 'charge', outcome: 'pending', firstPurchaseId: 'S-pending' },
    ],
  });
  await operator.advanceClock({ packageName, by: 'P1MT2H' });
  await countAll(database);
  await using page = await openSignedIn();
  await page.getByText('Numbers of all apps by real days.').waitFor();
  await chooseApp(page, packageName);
  await page.getByText(`Numbers of ${packageName}, by its clock: now 15 Apr 2026`).waitFor();
  const tile = (name: string) => page.getByRole('region', { name });
  await tile('Renewed, 30 days').getByText('33.3%').waitFor();
  await tile('Renewed, 30 days').getByText('1 paid, 0 lost, 2 still open').waitFor();
  await tile('Active subscriptions').getByText('1', { exact: true }).waitFor();
  await tile('Active subscriptions').getByText('2 more unpaid').waitFor();
  await page.getByRole('img', { name: /^Renewals, 30 columns: .* still open 2$/ }).waitFor();
});
