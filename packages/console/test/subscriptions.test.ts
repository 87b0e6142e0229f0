// The pages of subscriptions, in a real browser.

import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  chooseApp,
  expectAccessible,
  expectAccessibleEverywhere,
  showScheme,
  useConsole,
} from '../../../test/support/browser/browser.ts';
import { adminKey, newTestApp, testNow } from '../../../test/support/harness.ts';
import { insertLongSubscription } from '../../../test/support/subscriptions/long-subscription.ts';
import {
  appLine,
  exportText,
  monthlyLine,
  periodLine,
  subscriptionLine,
} from '../../../test/support/transfer/lines.ts';
import { imported } from '../../../test/support/transfer/transfer.ts';

const { openSignedIn, operator, server } = await useConsole();

/** An app whose clock is frozen, with a subscription that is three periods old: the second period was paid late. */
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

const storyOf = (page: Page): Locator => page.getByRole('list', { name: 'What happened' });

const picture = (page: Page): Locator => page.getByRole('img', { name: /^From / });

test('the life of a subscription is a picture with colors of its own in both schemes, and a story', async () => {
  const { packageName, firstPurchaseId } = await startSubscription('S-colors');
  await using page = await openSignedIn({ path: '/console/subscriptions?state=active' });
  await page.getByText('Choose an app: each app of the sandbox').waitFor();
  await chooseApp(page, packageName);
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
  await page.getByText('several close together').waitFor();
  const declined = storyOf(page).getByRole('listitem').filter({ hasText: 'declined' });
  expect(await declined.count()).toBe(2);
  await page.getByLabel('Kind').selectOption('Changes');
  await expect.poll(() => storyOf(page).getByRole('listitem').count()).toBe(0);
  await page.getByLabel('Kind').selectOption('Everything');
  await storyOf(page).getByText('Period 2, attempt 3, paid').waitFor();
  await expectAccessible(page);
});

test('a subscription of 1,200 periods is shown with one call, a window at a time', async () => {
  const { packageName } = await newTestApp(server);
  await insertLongSubscription(server, { packageName, firstPurchaseId: 'S-long', periods: 1200 });
  await using page = await openSignedIn({ path: `/console/subscriptions?packageName=${packageName}` });
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/operator/v1/')) calls.push(request.url());
  });
  await page.getByRole('link', { name: 'S-long' }).click();
  await picture(page).waitFor();
  expect(calls).toHaveLength(1);
  await page.getByText('Periods 1177 to 1200 of 1200').waitFor();
  await page.getByRole('button', { name: 'Earlier', exact: true }).click();
  await page.getByText('Periods 1153 to 1176 of 1200').waitFor();
  await page.goto(page.url().replace(/\?.*/, '?until=12'));
  await page.getByText('Periods 1 to 12 of 1200').waitFor();
  await page.getByRole('table', { name: 'Periods' }).getByText('voided').waitFor();
  await expectAccessibleEverywhere(page);
});

test('a subscription that was moved in its third period begins with the second one, and its page says that its history did not move', async () => {
  const [packageName, id] = ['com.example.moved', 'S-moved'];
  const period = { startTime: testNow, expiryTime: Date.UTC(2026, 3, 15, 12) };
  const subscription = subscriptionLine(packageName, id, {
    firstStartTime: Date.UTC(2026, 0, 15, 12),
    lastStartTime: period.startTime,
    expiryTime: period.expiryTime,
    nextPaymentTime: period.expiryTime,
    lastPeriodIndex: 2,
    lastPurchaseId: `${id}-3`,
    price: 499,
  });
  const third = { ...period, purchaseId: `${id}-3`, purchaseTime: testNow, periodIndex: 2 };
  const paid = periodLine(packageName, id, third);
  const before = { startTime: Date.UTC(2026, 1, 15, 12), expiryTime: testNow, periodIndex: 1 };
  const earlier = periodLine(packageName, id, { ...before, purchaseTime: before.startTime });
  const lines = [appLine(packageName, 900), monthlyLine(packageName), earlier, paid, subscription];
  await imported(server.connection, exportText(lines));
  await using page = await openSignedIn({ path: `/console/apps/${packageName}/subscriptions/${id}` });
  await page.getByText('Periods 2 to 3 of 3').waitFor();
  expect(await page.getByRole('button', { name: 'Earlier', exact: true }).isDisabled()).toBe(true);
  await page.getByText('Moved here without its history.').waitFor();
  await page.goto(`${page.url()}?until=1`);
  await page.getByText('Earlier periods are not in this store.').waitFor();
  await page.getByRole('button', { name: 'Later', exact: true }).click();
  await page.getByText('Periods 2 to 3 of 3').waitFor();
  await page.goto(page.url().replace(/subscriptions/, 'purchases'));
  await page.getByText('Moved here without its history.').waitFor();
});

test('a trial is free until its end with what follows, in list, title, sentence and picture, and ends unless agreed', async () => {
  const { packageName } = await newTestApp(server);
  const key = { packageName, firstPurchaseId: 'S-trial' };
  await operator.putClock({ packageName, mode: 'frozen' });
  const trial = { firstPeriod: { length: 'P7D', price: 0 }, renewalPrice: 990 };
  await operator.recordPurchase({ packageName, productId: 'monthly', purchaseId: 'S-trial', ...trial });
  await using page = await openSignedIn({ path: `/console/subscriptions?packageName=${packageName}` });
  const row = page.getByRole('row').filter({ hasText: 'S-trial' });
  await row.getByText('free until 22 Mar 2026, 12:00').waitFor();
  await row.getByText('then €9.90 a month').waitFor();
  await row.getByRole('link', { name: 'S-trial' }).click();
  await page
    .getByRole('heading', { name: 'free until 22 Mar 2026, 12:00 UTC, then €9.90 a month' })
    .waitFor();
  await page.getByText('Free until 22 Mar 2026, 12:00 UTC app time, then €9.90 a month.').waitFor();
  await page.locator('[data-bar="free"]').waitFor();
  await operator.cancelSubscription({ ...key, consent: 'awaited' });
  await page.reload();
  await page.getByText('it ends then unless the customer agrees to €9.90 a month.').waitFor();
  await page.locator('[data-mark="awaiting"]').waitFor();
  await page.goBack();
  await row.getByText('awaits consent').waitFor();
  await row.getByText('ends 22 Mar 2026, 12:00 unless agreed').waitFor();
});

test('support extends the paid time after seeing the next payments, while it lasts', async () => {
  const { packageName } = await newTestApp(server);
  const key = { packageName, firstPurchaseId: 'S-extend' };
  await operator.putClock({ packageName, mode: 'frozen' });
  await operator.recordPurchase({ packageName, productId: 'monthly', purchaseId: key.firstPurchaseId });
  await using page = await openSignedIn({
    path: `/console/apps/${packageName}/subscriptions/${key.firstPurchaseId}`,
  });
  const extend = page.getByRole('button', { name: 'Extend', exact: true });
  const dialog = page.getByRole('dialog', { name: 'Extend the paid time' });
  await extend.click();
  const confirm = dialog.getByRole('button', { name: 'Extend monthly' });
  await dialog.getByText('Access lasts until 18 Apr 2026, 12:00 UTC').waitFor();
  await dialog.getByText('+1 month').click();
  await dialog.getByText('15 May 2026, 12:00 UTC; 15 Jun 2026, 12:00 UTC; 15 Jul 2026, 12:00 UTC').waitFor();
  await dialog.getByText('until', { exact: true }).click();
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByLabel('New end').fill('31 May 2026, 12:00');
  await dialog.getByText('31 May 2026, 12:00 UTC; 30 Jun 2026, 12:00 UTC; 31 Jul 2026, 12:00 UTC').waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('Reason').selectOption('malfunction');
  await confirm.click();
  await page.getByText(/^Paid until 31 May 2026, 12:00 UTC/).waitFor();
  expect((await operator.getSubscription(key)).nextPaymentTime).toBe(Date.UTC(2026, 4, 31, 12));
  await operator.cancelSubscription(key);
  await extend.click();
  await dialog.getByText('No payment follows').waitFor();
  await operator.advanceClock({ packageName, by: 'P1Y' });
  await page.reload();
  await page.getByText(/^Ended with its paid time/).waitFor();
  expect(await extend.getAttribute('aria-description')).toBe('It has ended');
});

test('support changes the price and asks for consent, which the list finds and a reactivation gives', async () => {
  const { packageName } = await newTestApp(server);
  const key = { packageName, firstPurchaseId: 'S-price' };
  await operator.putClock({ packageName, mode: 'frozen' });
  await operator.recordPurchase({ packageName, productId: 'monthly', purchaseId: key.firstPurchaseId });
  const path = `/console/apps/${packageName}/subscriptions/${key.firstPurchaseId}`;
  await using page = await openSignedIn({ path });
  await page.getByRole('button', { name: 'Price', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the renewal price' });
  const confirm = dialog.getByRole('button', { name: 'Change the price of monthly' });
  await dialog.getByText('Choose another price.').waitFor();
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByLabel('Price of each later period').fill('5.99');
  await dialog.getByLabel('Consent').selectOption('awaited');
  await dialog.getByText('€5.99 a month from 15 Apr 2026, 12:00 UTC on.').waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('Reason').selectOption('malfunction');
  await confirm.click();
  const terms = page.getByText('€4.99 a month, €5.99 from 15 Apr 2026, 12:00 UTC app time; awaits consent.');
  await terms.waitFor();
  await page.getByText('€4.99 before, €5.99 from the next period on').waitFor();
  await page.goto(
    `${server.operatorUrl}/console/subscriptions?packageName=${packageName}&awaitsConsent=true`,
  );
  await page.getByRole('link', { name: key.firstPurchaseId }).click();
  await page.getByRole('button', { name: 'Reactivate' }).click();
  const reactivation = page.getByRole('dialog', { name: 'Reactivate auto-payment' });
  await reactivation.getByText('The customer has consented').waitFor();
  await reactivation.getByLabel('Reason').selectOption('customerRequest');
  await reactivation.getByRole('button', { name: 'Reactivate monthly' }).click();
  await terms.waitFor({ state: 'detached' });
  expect(await operator.getSubscription(key)).toMatchObject({ state: 'active', renewalPrice: 599 });
});

test('support cancels for a customer who does not consent', async () => {
  const { packageName } = await newTestApp(server);
  const key = { packageName, firstPurchaseId: 'S-no' };
  await operator.putClock({ packageName, mode: 'frozen' });
  await operator.recordPurchase({ packageName, productId: 'monthly', purchaseId: key.firstPurchaseId });
  await operator.cancelSubscription({ ...key, consent: 'awaited' });
  await using page = await openSignedIn({
    path: `/console/apps/${packageName}/subscriptions/${key.firstPurchaseId}`,
  });
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel auto-payment' });
  await dialog.getByText('The customer does not consent').waitFor();
  await dialog.getByLabel('Reason').selectOption('customerRequest');
  await dialog.getByRole('button', { name: 'Cancel monthly' }).click();
  await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor({ state: 'detached' });
  const after = await operator.getSubscription(key);
  expect(after).toMatchObject({ state: 'autoPaymentOff', awaitsConsent: false, cancelReason: 'customer' });
});

test('an admin settles a charge whose outcome the gateway does not report', async () => {
  const { packageName } = await newTestApp(server);
  const firstPurchaseId = 'S-settle';
  await operator.putClock({ packageName, mode: 'frozen' });
  await operator.recordPurchase({ packageName, productId: 'monthly', purchaseId: firstPurchaseId });
  await operator.putFaults({ packageName, faults: [{ operation: 'charge', outcome: 'pending' }] });
  await operator.advanceClock({ packageName, by: 'P1M1D' });
  const path = `/console/apps/${packageName}/subscriptions/${firstPurchaseId}`;
  await using page = await openSignedIn({ key: adminKey, path });
  await page.getByText(/next attempt/).waitFor();
  await page.getByText('The payment gateway responded to attempt 1 for period 2 with pending').waitFor();
  const extend = page.getByRole('button', { name: 'Extend' });
  expect(await extend.getAttribute('aria-description')).toBe('A payment is outstanding');
  await page.getByRole('button', { name: 'Settle', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Settle attempt 1 for period 2' });
  await dialog.getByLabel('Outcome').selectOption('paid');
  await dialog.getByLabel('Reason').selectOption('other');
  await dialog.getByLabel('Note').fill('Seen at the provider');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: /^Settle/ }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText(/^Paid until .*, then €4.99 a month\.$/).waitFor();
  const paid = storyOf(page).getByRole('listitem').filter({ hasText: 'Paid: the subscription was renewed' });
  await paid.getByText('Other, Seen at the provider').waitFor();
  await paid.getByText('Period 2, attempt 1, paid').waitFor();
});
