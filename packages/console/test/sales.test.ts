// Reports, and the filters of the lists of purchases, in a real browser.

import { expect, test } from 'vitest';
import {
  chooseApp,
  expectAccessibleEverywhere,
  saveFile,
  useConsole,
} from '../../../test/support/browser/browser.ts';
import { csvRowsOf } from '../../../test/support/csv-rows.ts';
import { newTestApp, useForFile } from '../../../test/support/harness.ts';
import { query } from '../../../test/support/query.ts';
import { countAll } from '../../../test/support/statistics/counting.ts';
import { openDatabase } from '../../../test/support/store/open-database.ts';

const { openSignedIn, operator, server } = await useConsole();
const database = await useForFile(openDatabase(server.connection, 3));
const { packageName } = await newTestApp(server);
const ofApp = { packageName, buyerId: 'ann' };
await operator.putProduct({ packageName, productId: 'gems', type: 'oneTime', price: 100, currency: 'USD' });
// It is voided in March.
const purchaseTime = Date.UTC(2026, 1, 20);
await operator.recordPurchase({ ...ofApp, productId: 'coins', purchaseId: 'P-february', purchaseTime });
await operator.recordPurchase({ ...ofApp, productId: 'coins', purchaseId: 'P-march' });
await operator.recordPurchase({ packageName, productId: 'gems', purchaseId: 'P-gems' });
await operator.voidPurchase({ packageName, purchaseId: 'P-february' });
await countAll(database);

test('a report of March has its sales by product and app, the voids made in it, and a total of each currency', async () => {
  await using page = await openSignedIn({ path: '/console/reports?from=2026-03-01&to=2026-03-31' });
  await page.getByText('a void in this range of an earlier sale counts here').waitFor();
  const filter = (label: string) => page.getByRole('search').getByLabel(label, { exact: true });
  await filter('From').fill('');
  await page.keyboard.press('Enter');
  await expect.poll(() => filter('From').inputValue()).toBe('2 Mar 2026');
  await page.goBack();
  const linesOf = async (name: string) => {
    const rows = page.getByRole('table', { name }).locator('tbody tr');
    await rows.first().waitFor();
    const cells = await Promise.all((await rows.all()).map((row) => row.locator('td').allTextContents()));
    return cells.map((line) => line.join(' '));
  };
  const totals = ['EUR 1 €4.99 0 1 €4.99 €0.00', 'USD 1 US$1.00 0 0 US$0.00 US$1.00'];
  expect(await linesOf('Totals')).toEqual(totals);
  const apps = totals.map((line) => `${packageName} ${line}`);
  expect(await linesOf('Sales by app')).toEqual(
    apps.flatMap((line, index) => [line, `Total ${totals[index]}`]),
  );
  const { content } = await saveFile(page, 'Save as CSV: Sales by product');
  const lines = csvRowsOf(content).map(([, app, product, currency, sold, amount]) =>
    [app, product, currency, sold, amount].join(' '),
  );
  expect(lines.slice(1)).toEqual([`${packageName} coins EUR 1 4.99`, `${packageName} gems USD 1 1.00`]);
  await page.getByText('No period was due.').waitFor();
});

test('purchases of all apps are filtered by day, buyer and void, those of an app also by product and state', async () => {
  await using page = await openSignedIn({ path: '/console/purchases' });
  const expectListed = (ids: readonly string[]) =>
    expect.poll(() => page.locator('tbody tr td:first-child a').allInnerTexts()).toEqual(ids);
  const filter = (label: string) => page.getByRole('search').getByLabel(label, { exact: true });
  await expectListed(['P-march', 'P-gems', 'P-february']);
  await filter('Order, purchase or buyer').fill('ann');
  await page.keyboard.press('Enter');
  await expectListed(['P-march', 'P-february']);
  await filter('From').fill('20/02/2026');
  await page.keyboard.press('Enter');
  await page.getByText('Such as 28 Dec 2026').waitFor();
  await filter('From').fill('20 Feb 2026');
  await filter('To').fill('2026-02-20');
  await page.keyboard.press('Enter');
  await expect.poll(() => filter('To').inputValue()).toBe('20 Feb 2026');
  await expectListed(['P-february']);
  await page.goto(`${server.operatorUrl}/console/purchases?state=voided&from=2026-03-15&to=2026-03-15`);
  await expectListed(['P-february']);
  await page.goto(`${server.operatorUrl}/console/apps/${packageName}/purchases?productId=coins`);
  await expectListed(['P-march', 'P-february']);
  await filter('State').selectOption('completed');
  await expectListed(['P-march']);
  await expectAccessibleEverywhere(page);
});

test('a statement has what was booked in its month, next to what reports say of it, and its lines as a file', async () => {
  const app = (await newTestApp(server)).packageName;
  await operator.putClock({ packageName: app, mode: 'frozen' });
  await operator.recordPurchase({ packageName: app, productId: 'coins', purchaseId: 'P-march' });
  const { now } = await operator.advanceClock({ packageName: app, by: 'P1M' });
  // A month ago, in March.
  const purchaseTime = now - 30 * 86_400_000;
  await operator.recordPurchase({ packageName: app, productId: 'coins', purchaseId: 'P-late', purchaseTime });
  await countAll(database);
  await using page = await openSignedIn({ path: '/console/reports/statements' });
  await page.getByText('Each app has its own statements').waitFor();
  await chooseApp(page, app);
  await page.waitForURL(`**/reports/statements?packageName=${app}`);
  await page.getByText('net of 2026-03 is €4.99 here and €9.98 there').waitFor();
  const rows = page.getByRole('table', { name: 'Statements' }).locator('tbody tr');
  expect(await rows.nth(0).textContent()).toMatch(/^So far.*EUR.*€4\.99/);
  expect(await rows.nth(1).textContent()).toMatch(/^2026-03.*EUR.*€4\.99.*€9\.98/);
  const { content } = await saveFile(page, 'Save as CSV: 2026-03');
  const lines = csvRowsOf(content).slice(1);
  expect(lines.map(([, , order, id, , product, ...rest]) => [order, id, product, ...rest].join(' '))).toEqual(
    ['1 P-march coins sale 4.99 EUR'],
  );
  // As an imported month may have.
  const otherZone = `update closed_month set time_zone = 'Asia/Seoul' where package_name = $1 and product_id = ''`;
  await query(server.connection, otherZone, [app]);
  await page.reload();
  await page.getByText('change when one is recorded late.').waitFor();
  expect(await rows.nth(1).textContent()).toMatch(/^2026-03.*EUR.*€4\.99(?!.*€9\.98)/);
});
