// The lab of an app, in a real browser.

import { expect, test } from 'vitest';
import { expectAccessible, signIn, useConsole } from '../../../test/support/browser/browser.ts';
import {
  adminKey,
  callPurchaseApi,
  newTestApp,
  recordTestPurchase,
  supportKey,
  testNow,
} from '../../../test/support/harness.ts';
import { leaseClock } from '../../../test/support/stage.ts';

const { openSignedIn, operator, server } = await useConsole({ runsJobs: true });

const pathOf = (packageName: string) => `/console/apps/${packageName}/lab`;

test('a year of a subscription is played with single keys and stops, and viewed as it happens', async () => {
  const { packageName } = await newTestApp(server);
  await operator.putClock({ packageName, mode: 'frozen' });
  for (const purchaseId of ['S-1', 'S-2']) {
    await recordTestPurchase(server, { packageName }, { productId: 'monthly', purchaseId });
    await operator.advanceClock({ packageName, by: 'PT30S' });
  }
  await using page = await openSignedIn({ key: adminKey, path: pathOf(packageName) });
  const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  await expect.poll(() => events.count()).toBe(2);
  await page.getByRole('button', { name: '15 Apr 2026  12:00:00: renewal S-1' }).waitFor();
  await page.keyboard.press('.');
  await page.getByText(/^The clock is at 15 Apr 2026, 12:00 UTC/).waitFor();
  await events.locator('summary').getByText('subscription.renewed').waitFor();
  const { stops } = await operator.getClock({ packageName });
  await page
    .getByRole('list', { name: 'Next stops' })
    .getByRole('button', { name: /renewal S-2$/ })
    .click();
  await expect.poll(() => events.count()).toBe(4);
  const { now } = await operator.getClock({ packageName });
  expect(now).toBe(stops.find(({ id }) => id === 'S-2')?.time);
  await page.keyboard.press('m');
  await page.getByText(/^The clock is at 15 May 2026, 12:00 UTC/).waitFor();
  await page.getByRole('button', { name: '+1 year' }).click();
  await page.getByText(/24 events happened/).waitFor();
  await expect.poll(() => events.count()).toBe(30);
  await expectAccessible(page);
});

test('after a reset in another tab nothing is left on the page, and new events appear', async () => {
  const { packageName } = await newTestApp(server);
  await recordTestPurchase(server, { packageName });
  await using page = await openSignedIn({ key: adminKey, path: pathOf(packageName) });
  const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  await events.first().waitFor();
  const second = await page.context().newPage();
  await second.goto(`${server.operatorUrl}${pathOf(packageName)}`);
  await second.getByRole('button', { name: 'Reset' }).click();
  const dialog = second.getByRole('dialog', { name: 'Reset the app' });
  await expectAccessible(second);
  await dialog.getByRole('button', { name: `Reset ${packageName}` }).click();
  await dialog.waitFor({ state: 'detached' });
  await second.close();
  await page.getByText('Nothing has happened yet.').waitFor();
  await recordTestPurchase(server, { packageName }, { purchaseId: 'P-after' });
  await events.first().locator('summary').click();
  await events.first().getByText('P-after').first().waitFor();
  await expect.poll(() => events.count()).toBe(1);
});

test('an advance by another is shown and can be resumed, and one that is refused says why', async () => {
  const app = await newTestApp(server);
  const { packageName } = app;
  await operator.putClock({ packageName, mode: 'frozen' });
  const to = testNow + 3_600_000;
  await leaseClock(server, app, { until: testNow + 5_000, advanceTo: to });
  await using page = await openSignedIn({ key: adminKey, path: pathOf(packageName) });
  await page.getByText('Advancing to 15 Mar 2026, 13:00 UTC').waitFor();
  await page.keyboard.press('m');
  await page.getByText('The clock of this app is being advanced').first().waitFor();
  await expectAccessible(page);
  // The other server has died.
  await server.clock.advance(60_000);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText(/^The clock is at 15 Mar 2026, 13:00 UTC/).waitFor();
});

test('the lab records and voids a purchase, runs the clock, adds a fault, and expires a token; support may not', async () => {
  const { packageName } = await newTestApp(server);
  await using page = await openSignedIn({ key: adminKey, path: pathOf(packageName) });
  await page.getByRole('button', { name: 'Record purchase' }).click();
  const dialog = page.getByRole('dialog', { name: 'Record a purchase' });
  await dialog.getByLabel('Buyer id').fill('B-1');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: /^Record LAB-\d{13}$/ }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Void', exact: true }).click();
  await page.getByText('Purchase voided').waitFor();
  const { purchases } = await operator.listPurchases({ packageName });
  expect(purchases).toMatchObject([{ buyerId: 'B-1', purchaseState: 1 }]);
  await page.getByRole('button', { name: 'Freeze' }).click();
  const run = page.getByRole('button', { name: /^Run/ });
  await run.waitFor();
  expect((await operator.getClock({ packageName })).mode).toBe('frozen');
  await run.click();
  await page.getByRole('button', { name: 'Freeze' }).waitFor();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('1. consumePurchase').waitFor();
  expect((await operator.getFaults({ packageName })).faults).toHaveLength(1);
  const expired = page.waitForResponse((response) => response.url().endsWith('/token') && response.ok());
  await page.getByRole('button', { name: 'Expire token' }).click();
  await expired;
  await page.context().clearCookies();
  await signIn(page, server, { key: supportKey, path: pathOf(packageName) });
  await page.getByRole('button', { name: '+1 month' }).waitFor();
  await page.keyboard.press('m');
  expect((await operator.getClock({ packageName })).now).toBeLessThan(testNow + 86_400_000);
});

test('the lab is one screen high, shows the latest 50 events, and the calls of the backend with their causes', async () => {
  const app = await newTestApp(server);
  const { packageName } = app;
  for (let count = 0; count < 60; count += 1) await recordTestPurchase(server, { packageName });
  await using page = await openSignedIn({ key: adminKey, path: pathOf(packageName) });
  await page.setViewportSize({ width: 1440, height: 900 });
  const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  await expect.poll(() => events.count()).toBe(50);
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(900);
  const { purchaseId } = await recordTestPurchase(server, { packageName });
  const consume = { token: app.token, method: 'POST', path: `/consume/${purchaseId}/${packageName}` };
  for (let count = 0; count < 2; count += 1) await callPurchaseApi(server, consume);
  const requests = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
  await requests.filter({ hasText: '409 9201' }).locator('summary').click();
  await page.getByText(/^Why\? /).waitFor();
  await expectAccessible(page);
});
