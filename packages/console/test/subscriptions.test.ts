// The pages of subscriptions, in a real browser.

import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { adminKey, newTestApp } from '../../server/test/harness.ts';
import { insertLongSubscription } from '../../server/test/subscriptions/long-subscription.ts';
import { expectAccessible, expectAccessibleEverywhere, showScheme, useConsole } from './browser.ts';

const { openSignedIn, operator, server } = await useConsole();

/** An app whose clock is frozen, with a subscription that is three months old: the second month was paid late. */
async function startSubscription(firstPurchaseId: string) {
  const { packageName } = await newTestApp(server);
  await operator.putClock({ packageName, mode: 'frozen' });
  await operator.recordPurchase({ packageName, productId: 'monthly', purchaseId: firstPurchaseId });
  const faults = [{ operation: 'charge', outcome: 'declined', times: 2 }] as const;
  await operator.putFaults({ packageName, faults: [...faults] });
  await operator.advanceClock({ packageName, by: 'P2M2D' });
  return { packageName, firstPurchaseId };
}

/** In the page. */
declare function getComputedStyle(element: unknown): { readonly fill: string };

const picture = (page: Page): Locator => page.getByRole('img', { name: /^From / });

test('the life of a subscription is a picture with colors of its own in both schemes, and a table', async () => {
  const { packageName, firstPurchaseId } = await startSubscription('S-colors');
  await using opened = await openSignedIn({ path: '/console/subscriptions?state=active' });
  const { page, failures } = opened;
  await page.getByText('Choose an app: each app of the sandbox').waitFor();
  await page.getByRole('combobox', { name: 'App', exact: true }).fill(packageName);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: firstPurchaseId }).click();
  const summary = picture(page);
  await summary.waitFor();
  expect(await summary.getAttribute('aria-label')).toMatch(/3 paid periods, 0 voided, 5 charges, 2 declined/);
  const paid = page.locator('[data-bar="paid"] rect').first();
  const fill = () => paid.evaluate((rect) => getComputedStyle(rect).fill);
  for (const [colorScheme, color] of Object.entries({
    dark: 'rgb(41, 124, 105)',
    light: 'rgb(8, 127, 102)',
  })) {
    await showScheme(page, colorScheme as 'dark' | 'light');
    await expect.poll(fill).toBe(color);
  }
  await page.getByRole('button', { name: 'Show as table' }).click();
  const table = page.getByRole('table', { name: 'Life of the subscription' });
  await table.getByText('Charge for period 2, attempt 3: paid').waitFor();
  await expectAccessible(page);
  expect(failures).toEqual([]);
});

test('a subscription of 1,200 months is shown with one call, a window at a time', async () => {
  const { packageName } = await newTestApp(server);
  await insertLongSubscription(server, { packageName, firstPurchaseId: 'S-long', months: 1200 });
  await using opened = await openSignedIn({ path: `/console/subscriptions?packageName=${packageName}` });
  const { page, failures } = opened;
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/operator/v1/')) calls.push(request.url());
  });
  await page.getByRole('link', { name: 'S-long' }).click();
  await picture(page).waitFor();
  expect(calls).toHaveLength(1);
  await page.getByText('Months 1177 to 1200 of 1200').waitFor();
  await page.getByRole('button', { name: 'Earlier' }).click();
  await page.getByText('Months 1153 to 1176 of 1200').waitFor();
  await page.goto(page.url().replace(/\?.*/, '?until=12'));
  await page.getByText('Months 1 to 12 of 1200').waitFor();
  await page.getByRole('table', { name: 'Months' }).getByText('voided').waitFor();
  await expectAccessibleEverywhere(page);
  expect(failures).toEqual([]);
});

test('support extends the paid time after seeing the next payments, while it lasts', async () => {
  const { packageName } = await newTestApp(server);
  const key = { packageName, firstPurchaseId: 'S-extend' };
  await operator.putClock({ packageName, mode: 'frozen' });
  await operator.recordPurchase({ packageName, productId: 'monthly', purchaseId: key.firstPurchaseId });
  await using opened = await openSignedIn({
    path: `/console/apps/${packageName}/subscriptions/${key.firstPurchaseId}`,
  });
  const { page, failures } = opened;
  const extend = page.getByRole('button', { name: 'Extend', exact: true });
  const dialog = page.getByRole('dialog', { name: 'Extend the paid time' });
  await extend.click();
  const confirm = dialog.getByRole('button', { name: `Extend ${key.firstPurchaseId}` });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByLabel('New end').fill('2026-05-31T12:00');
  await dialog.getByText('31 May 2026, 12:00 UTC; 30 Jun 2026, 12:00 UTC; 31 Jul 2026, 12:00 UTC').waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('Reason').selectOption('malfunction');
  await confirm.click();
  await page.getByText(/^Paid until 31 May 2026, 12:00 UTC/).waitFor();
  expect((await operator.getSubscription(key)).nextPaymentTime).toBe(Date.UTC(2026, 4, 31, 12));
  await operator.cancelSubscription(key);
  await extend.click();
  await dialog.getByLabel('New end').fill('2026-06-01T12:00');
  await dialog.getByText('No payment follows').waitFor();
  await operator.advanceClock({ packageName, by: 'P1Y' });
  await page.reload();
  await page.getByText(/^Ended with its paid time/).waitFor();
  expect(await extend.count()).toBe(0);
  expect(failures).toEqual([]);
});

test('an admin settles a charge whose outcome the gateway does not report', async () => {
  const { packageName } = await newTestApp(server);
  const firstPurchaseId = 'S-settle';
  await operator.putClock({ packageName, mode: 'frozen' });
  await operator.recordPurchase({ packageName, productId: 'monthly', purchaseId: firstPurchaseId });
  await operator.putFaults({ packageName, faults: [{ operation: 'charge', outcome: 'pending' }] });
  await operator.advanceClock({ packageName, by: 'P1M1D' });
  const path = `/console/apps/${packageName}/subscriptions/${firstPurchaseId}?tab=charges`;
  await using opened = await openSignedIn({ key: adminKey, path });
  const { page, failures } = opened;
  await page.getByText(/next attempt/).waitFor();
  await page.getByText('The payment gateway responded to attempt 1 for period 2 with pending').waitFor();
  expect(await page.getByRole('button', { name: 'Extend' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Settle', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Settle attempt 1 for month 2' });
  await dialog.getByLabel('Outcome').selectOption('paid');
  await dialog.getByLabel('Reason').selectOption('other');
  await dialog.getByLabel('Note').fill('Seen at the provider');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: /^Settle/ }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText(/then the next month is charged/).waitFor();
  await page.getByRole('table', { name: 'Charges' }).getByText('paid', { exact: true }).waitFor();
  expect(failures).toEqual([]);
});
