// The lab of an app, in a real browser.

import { expect, test } from 'vitest';
import {
  adminKey,
  callPurchaseApi,
  newTestApp,
  recordTestPurchase,
  supportKey,
  testNow,
} from '../../server/test/harness.ts';
import { leaseClock } from '../../server/test/stage.ts';
import { expectAccessible, expectAccessibleInBothSchemes, signIn, useConsole } from './browser.ts';

const { openSignedIn, operator, server } = await useConsole({ runsJobs: true });

/** A busy machine takes ten times as long. */

const pathOf = (packageName: string) => `/console/apps/${packageName}/lab`;

test('a year of a subscription is played with single keys and buttons, and viewed as it happens', async () => {
  const { packageName } = await newTestApp(server);
  await operator.putClock({ packageName, mode: 'frozen' });
  await recordTestPurchase(server, { packageName }, { productId: 'monthly', purchaseId: 'S-1' });
  await using opened = await openSignedIn({ key: adminKey, path: pathOf(packageName) });
  const { page, failures } = opened;
  const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  await events.getByText('subscription.started').waitFor();
  await page.getByRole('button', { name: '15 Apr 2026  12:00:00: renewal S-1' }).waitFor();
  await page.keyboard.press('.');
  await page.getByText(/^The clock is at 15 Apr 2026, 12:00 UTC/).waitFor();
  await events.getByText('subscription.renewed').waitFor();
  await page.keyboard.press('m');
  await page.getByText(/^The clock is at 15 May 2026, 12:00 UTC/).waitFor();
  await page.getByRole('button', { name: '+1 year' }).click();
  await page.getByText(/12 events happened/).waitFor();
  await expect.poll(() => events.count()).toBe(15);
  await expectAccessibleInBothSchemes(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  expect(failures).toEqual([]);
});

const becomes = (state: string) =>
  `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`;
const hide = becomes('hidden');
const show = becomes('visible');

test('after a reset in another tab nothing is left on the page, and new events appear', async () => {
  const { packageName } = await newTestApp(server);
  await recordTestPurchase(server, { packageName });
  await using opened = await openSignedIn({ key: adminKey, path: pathOf(packageName) });
  const { page, failures } = opened;
  const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  await events.first().waitFor();
  await page.evaluate(hide);
  const second = await page.context().newPage();
  await second.goto(`${server.operatorUrl}${pathOf(packageName)}`);
  await second.getByRole('button', { name: 'Reset' }).click();
  const dialog = second.getByRole('dialog', { name: 'Reset the app' });
  await expectAccessible(second);
  await dialog.getByRole('button', { name: `Reset ${packageName}` }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.evaluate(show);
  for (const tab of [page, second]) await tab.getByText('Nothing has happened yet.').waitFor();
  await recordTestPurchase(server, { packageName }, { purchaseId: 'P-after' });
  for (const tab of [page, second]) {
    const shown = tab.getByRole('list', { name: 'Events' }).getByRole('listitem');
    await shown.first().getByRole('button').click();
    await shown.first().getByText('P-after').first().waitFor();
    await expect.poll(() => shown.count()).toBe(1);
  }
  expect(failures).toEqual([]);
});

test('an advance by another is shown and can be resumed, and one that is refused says why', async () => {
  const app = await newTestApp(server);
  const { packageName } = app;
  await operator.putClock({ packageName, mode: 'frozen' });
  const to = testNow + 3_600_000;
  await leaseClock(server, app, { until: testNow + 5_000, advanceTo: to });
  await using opened = await openSignedIn({ key: adminKey, path: pathOf(packageName) });
  const { page, failures } = opened;
  await page.getByText('Advancing to 15 Mar 2026, 13:00 UTC').waitFor();
  await page.keyboard.press('m');
  await page.getByText('The clock of this app is being advanced').first().waitFor();
  await expectAccessible(page);
  // The other server has died.
  await server.clock.advance(60_000);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText(/^The clock is at 15 Mar 2026, 13:00 UTC/).waitFor();
  expect(failures).toEqual([]);
});

test('a purchase is recorded once and voided; support may not move the clock', async () => {
  const { packageName } = await newTestApp(server);
  await using opened = await openSignedIn({ key: adminKey, path: pathOf(packageName) });
  const { page, failures } = opened;
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
  await page.context().clearCookies();
  await signIn(page, server, { key: supportKey, path: pathOf(packageName) });
  const month = page.getByRole('button', { name: '+1 month' });
  expect(await month.getAttribute('aria-description')).toBe('Needs the role admin');
  await page.keyboard.press('m');
  await expectAccessible(page);
  expect((await operator.getClock({ packageName })).now).toBeLessThan(testNow + 86_400_000);
  expect(failures).toEqual([]);
});

test('the lab freezes and runs the clock, adds a fault, and expires the token of the backend', async () => {
  const { packageName } = await newTestApp(server);
  await using opened = await openSignedIn({ key: adminKey, path: pathOf(packageName) });
  const { page, failures } = opened;
  await page.getByRole('button', { name: 'Freeze' }).click();
  const run = page.getByRole('button', { name: /^Run/ });
  await run.waitFor();
  expect((await operator.getClock({ packageName })).mode).toBe('frozen');
  await run.click();
  await page.getByRole('button', { name: 'Freeze' }).waitFor();
  expect((await operator.getClock({ packageName })).mode).toBe('running');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('1. consumePurchase').waitFor();
  expect((await operator.getFaults({ packageName })).faults).toHaveLength(1);
  const expired = page.waitForResponse((response) => response.url().endsWith('/token') && response.ok());
  await page.getByRole('button', { name: 'Expire token' }).click();
  await expired;
  const { actions } = await operator.listActions({ packageName, operationId: 'putToken' });
  expect(actions).toHaveLength(1);
  expect(failures).toEqual([]);
});

test('the lab is one screen high, and shows the latest 50 events', async () => {
  const { packageName } = await newTestApp(server);
  for (let count = 0; count < 60; count += 1) await recordTestPurchase(server, { packageName });
  await using opened = await openSignedIn({ key: adminKey, path: pathOf(packageName) });
  const { page, failures } = opened;
  await page.setViewportSize({ width: 1440, height: 900 });
  const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  await expect.poll(() => events.count()).toBe(50);
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(900);
  expect(failures).toEqual([]);
});

test('while the server does not answer, nothing is shown as live or running', async () => {
  const { packageName } = await newTestApp(server);
  await using opened = await openSignedIn({ key: adminKey, path: pathOf(packageName) });
  const { page, failures } = opened;
  await page.getByText('Running', { exact: true }).waitFor();
  await page.route('**/operator/**', (route) => route.abort('connectionrefused'));
  await page.getByText('No answer', { exact: true }).waitFor();
  expect(await page.getByText('Running', { exact: true }).count()).toBe(0);
  expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
  await page.unroute('**/operator/**');
  await page.getByText('Running', { exact: true }).waitFor();
  expect(failures).toEqual([]);
});

test('each of the next stops is a button that moves the clock exactly there', async () => {
  const { packageName } = await newTestApp(server);
  await operator.putClock({ packageName, mode: 'frozen' });
  for (const purchaseId of ['S-1', 'S-2']) {
    await recordTestPurchase(server, { packageName }, { productId: 'monthly', purchaseId });
    await operator.advanceClock({ packageName, by: 'PT30S' });
  }
  await using opened = await openSignedIn({ key: adminKey, path: pathOf(packageName) });
  const { page, failures } = opened;
  await page.getByText('Next stop in 30 d 23 h').waitFor();
  const stops = page.getByRole('list', { name: 'Next stops' });
  const { stops: upcoming } = await operator.getClock({ packageName });
  await stops.getByRole('button', { name: /renewal S-2$/ }).click();
  await page.getByText(/^The clock is at 15 Apr 2026/).waitFor();
  const { now } = await operator.getClock({ packageName });
  expect(now).toBe(upcoming.find(({ id }) => id === 'S-2')?.time);
  expect(failures).toEqual([]);
});

test('the calls of the backend are listed with their results and causes', async () => {
  const app = await newTestApp(server);
  const { packageName } = app;
  await using opened = await openSignedIn({ key: adminKey, path: pathOf(packageName) });
  const { page, failures } = opened;
  await page.setViewportSize({ width: 390, height: 844 });
  const { purchaseId } = await recordTestPurchase(server, { packageName });
  const consume = { token: app.token, method: 'POST', path: `/consume/${purchaseId}/${packageName}` };
  for (let count = 0; count < 2; count += 1) await callPurchaseApi(server, consume);
  const requests = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
  await requests.filter({ hasText: '409 9201' }).getByRole('button').click();
  await page.getByText(/^Why\? /).waitFor();
  await expectAccessible(page);
  expect(failures).toEqual([]);
});
