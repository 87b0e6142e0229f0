// The overview, and whether something needs attention, which every page shows.

import { expect, test } from 'vitest';
import { newTestApp, testNow, useForFile } from '../../server/test/harness.ts';
import { countAll } from '../../server/test/statistics/counting.ts';
import { rememberedMs } from '../../server/test/status/attention-calls.ts';
import { openDatabase } from '../../server/test/store/open-database.ts';
import { answering, startTestReceiver } from '../../server/test/webhooks/test-receiver.ts';
import { openJob } from '../../server/test/webhooks/webhook-stage.ts';
import { expectAccessibleEverywhere, useConsole } from './browser.ts';

const receiver = await useForFile(startTestReceiver());
const { openSignedIn, operator, server } = await useConsole();
const database = await useForFile(openDatabase(server.connection, 3));
const delivering = await useForFile(Promise.resolve(openJob(server)));

test('the bar of every page shows that a webhook fails, until it works again', async () => {
  const { packageName } = await newTestApp(server);
  receiver.react(() => answering(500));
  await operator.putWebhook({ packageName, url: receiver.url });
  await operator.testWebhook({ packageName });
  await delivering.job.runOnce();
  await using opened = await openSignedIn();
  const { page, failures } = opened;
  const row = page.getByRole('list', { name: 'Attention' }).getByRole('listitem');
  await row.filter({ hasText: 'A webhook is failing' }).filter({ hasText: packageName }).waitFor();
  await page.getByRole('link', { name: 'Audit', exact: true }).click();
  await page.getByRole('heading', { name: 'Audit' }).waitFor();
  await expectAccessibleEverywhere(page);
  await page.getByRole('banner').getByRole('link', { name: '1 needs attention' }).click();
  await row.getByRole('link', { name: 'Show' }).click();
  await page.getByText('HTTP 500').first().waitFor();

  receiver.react(() => answering(204));
  await operator.redeliverFailed({ packageName, since: testNow });
  await delivering.job.runOnce();
  await server.clock.advance(rememberedMs);
  await page.reload();
  await page.getByRole('banner').getByRole('link', { name: 'Everything is healthy' }).waitFor();
  expect(failures).toEqual([]);
});

test('a store without sales shows the three calls that fill it', async () => {
  await using opened = await openSignedIn();
  const { page, failures } = opened;
  const calls = page.getByRole('region', { name: 'Sales and voids, 30 days' }).locator('pre');
  const found = (await calls.innerText()).matchAll(/-X (\S+) \S*\/operator\/v1([^\s']+)/g);
  expect([...found].map(([, method, path]) => `${method} ${path}`)).toEqual([
    'POST /apps',
    'PUT /apps/com.example.game/products/coins_100',
    'POST /apps/com.example.game/purchases',
  ]);
  await expectAccessibleEverywhere(page);
  expect(failures).toEqual([]);
});

test('in the sandbox the numbers are those of the chosen app, by its clock: a month that is not paid is open, not renewed', async () => {
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
  await using opened = await openSignedIn();
  const { page, failures } = opened;
  await page.getByText('Numbers of all apps by real days.').waitFor();
  await page.getByRole('combobox', { name: 'App of the pages' }).fill(packageName);
  await page.getByRole('option', { name: packageName }).click();
  await page.getByText(`Numbers of ${packageName}, by its clock: now 15 Apr 2026`).waitFor();
  const tile = (name: string) => page.getByRole('region', { name });
  await tile('Renewed, 28 days').getByText('33.3%').waitFor();
  await tile('Renewed, 28 days').getByText('1 paid, 0 lost, 2 still open').waitFor();
  await tile('Active subscriptions').getByText('1', { exact: true }).waitFor();
  await tile('Active subscriptions').getByText('2 more unpaid').waitFor();
  await page.getByRole('group', { name: /^Renewals, 30 columns: .* still open 2$/ }).waitFor();
  await expectAccessibleEverywhere(page);
  expect(failures).toEqual([]);
});
