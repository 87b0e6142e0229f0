// The pages of subscriptions, in a real browser.

import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { adminKey, newTestApp, supportKey } from '../../server/test/harness.ts';
import { insertLongSubscription } from '../../server/test/subscriptions/long-subscription.ts';
import { expectAccessible, expectAccessibleInBothSchemes, showScheme, useConsole } from './browser.ts';

const { openSignedIn, operator, server } = await useConsole();

const schemes = ['light', 'dark'] as const;

/** An app whose clock is frozen, with a subscription that is three months old: the second month was paid late. */
async function startSubscription(firstPurchaseId: string) {
  const { packageName } = await newTestApp(server);
  await operator.putClock({ packageName, mode: 'frozen' });
  await operator.recordPurchase({
    packageName,
    productId: 'monthly',
    purchaseId: firstPurchaseId,
    buyerId: 'ann',
  });
  await operator.putFaults({
    packageName,
    faults: [{ operation: 'charge', outcome: 'declined', times: 2 }],
  });
  await operator.advanceClock({ packageName, by: 'P2M2D' });
  const path = `/console/apps/${packageName}/subscriptions/${firstPurchaseId}`;
  return { packageName, firstPurchaseId, path };
}

const picture = (page: Page): Locator => page.getByRole('img', { name: /^From / });

/** The color in the middle of an element, as red, green and blue. */
async function colorOf(page: Page, element: Locator): Promise<number[]> {
  const png = (await element.screenshot()).toString('base64');
  return page.evaluate(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png}';
    await image.decode();
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return [...context.getImageData(6, Math.floor(image.height / 2), 1, 1).data].slice(0, 3);
  })()`);
}

test('support finds a subscription by its state, reads its life as a table, cancels it with a note, and reactivates it', async () => {
  const { packageName, firstPurchaseId } = await startSubscription('S-keyboard');
  await using opened = await openSignedIn({ key: supportKey, path: '/console/subscriptions?state=active' });
  const { page, failures } = opened;
  await page.getByText('Choose an app: each app of the sandbox').waitFor();
  await expectAccessible(page);
  await page.getByRole('combobox', { name: 'App', exact: true }).fill(packageName);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: firstPurchaseId }).waitFor();
  await expectAccessibleInBothSchemes(page);
  await page.getByRole('link', { name: firstPurchaseId }).click();
  await picture(page).waitFor();
  expect(await picture(page).getAttribute('aria-label')).toMatch(
    /3 paid months, 0 voided, 5 charges, 2 declined/,
  );
  await expectAccessibleInBothSchemes(page);
  await page.getByRole('button', { name: 'Show as table' }).click();
  const table = page.getByRole('table', { name: 'Life of the subscription' });
  await table.getByText('Charge for month 2, attempt 3: paid').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: 'Cancel auto-payment' });
  await dialog.getByText(/Access lasts until/).waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('Reason').selectOption('customerRequest');
  await dialog.getByLabel('Note').fill('Asked on the phone');
  await page.keyboard.press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText(/Access lasts until .* no further month is charged/).waitFor();
  await page.getByText('Auto-payment was cancelled by operator:helpdesk for the customer.').waitFor();
  await page.getByRole('link', { name: 'What operators did, with notes' }).click();
  await page.getByRole('table', { name: 'Actions' }).getByText('Asked on the phone').waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Reactivate' }).click();
  const reactivation = page.getByRole('dialog');
  await reactivation.getByLabel('Reason').selectOption('customerRequest');
  await reactivation.getByRole('button', { name: `Reactivate ${firstPurchaseId}` }).click();
  await reactivation.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Cancel' }).waitFor();
  expect((await operator.getSubscription({ packageName, firstPurchaseId })).state).toBe('active');
  expect(failures).toEqual([]);
});

test('the picture has its own colors in the light and in the dark scheme', async () => {
  const { path } = await startSubscription('S-colors');
  await using opened = await openSignedIn({ path });
  const { page, failures } = opened;
  const paid = page.locator('[data-bar="paid"] rect').first();
  const expected = { light: [0x08, 0x7f, 0x66], dark: [0x29, 0x7c, 0x69] };
  for (const colorScheme of schemes) {
    await showScheme(page, colorScheme);
    await paid.waitFor();
    await expect.poll(() => colorOf(page, paid)).toEqual(expected[colorScheme]);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('list', { name: 'Months' }).waitFor();
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
  await page.getByRole('button', { name: 'Later' }).click();
  await page.getByText('Months 1177 to 1200 of 1200').waitFor();
  await page.goto(`${page.url()}?until=12`);
  await page.getByText('Months 1 to 12 of 1200').waitFor();
  await page.getByRole('table', { name: 'Months' }).getByText('voided').waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await page.getByRole('tab', { name: 'Charges' }).click();
  await page.getByRole('list', { name: 'Charges' }).getByRole('listitem').nth(9).waitFor();
  expect(failures).toEqual([]);
});

test('a cancel that another tab was faster to make is rejected with what was typed, and the new state is shown', async () => {
  const { packageName, firstPurchaseId, path } = await startSubscription('S-tabs');
  await using opened = await openSignedIn({ path });
  const { page, failures } = opened;
  await page.getByRole('button', { name: 'Cancel' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel auto-payment' });
  await dialog.getByLabel('Reason').selectOption('fraud');
  await dialog.getByLabel('Note').fill('Typed before');
  const purchases = await operator.getSubscription({ packageName, firstPurchaseId });
  await operator.voidPurchase({ packageName, purchaseId: purchases.lastPurchaseId });
  await dialog.getByRole('button', { name: `Cancel ${firstPurchaseId}` }).click();
  await dialog.getByText('Not possible in the current state').waitFor();
  expect(await dialog.getByLabel('Note').inputValue()).toBe('Typed before');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByText(/^Ended at once on /).waitFor();
  await page.getByRole('table', { name: 'Months' }).getByText('voided').waitFor();
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
  await page.getByText('The payment gateway responded to attempt 1 for month 2 with pending').waitFor();
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
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('list', { name: 'Charges' }).getByText('paid', { exact: true }).waitFor();
  await expectAccessible(page);
  expect(failures).toEqual([]);
});

test('a subscription that does not exist is reported, and an empty list shows the call that fills it', async () => {
  const { packageName } = await newTestApp(server);
  await using opened = await openSignedIn({ path: `/console/apps/${packageName}/subscriptions/none` });
  const { page } = opened;
  await page.getByRole('alert').getByText('Not found').first().waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Find this id in all apps' }).waitFor();
  const list = `${server.operatorUrl}/console/subscriptions`;
  await page.goto(`${list}?packageName=${packageName}.${'long'.repeat(15)}&state=unknown`);
  await page.getByText('Nothing matches these filters.').waitFor();
  await expectAccessible(page);
});
