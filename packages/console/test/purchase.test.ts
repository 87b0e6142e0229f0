// The page of a purchase, in a real browser: from a pasted order id to the stored void.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newTestApp } from '../../server/test/harness.ts';
import { expectAccessible, expectAccessibleEverywhere, signIn, useConsole } from './browser.ts';

const env = { OPENTILL_TIME_ZONE: 'Europe/Berlin' };
const { open, openSignedIn, operator, server } = await useConsole({ env });
const app = await newTestApp(server);
const { packageName } = app;

/** Not safe anywhere but in a text. */
const oddText = '<img src=x onerror=alert(1)> \u202etxet\u202c =1+1';

const pathOf = (purchaseId: string) => `/console/apps/${packageName}/purchases/${purchaseId}`;

/** Counts the keys that are pressed in addition to typed texts. */
function keyboardOf(page: Page) {
  let count = 0;
  return {
    count: () => count,
    type: (text: string) => page.keyboard.insertText(text),
    async press(...keys: readonly string[]) {
      for (const key of keys) {
        count += 1;
        await page.keyboard.press(key);
      }
    },
  };
}

test('a pasted order id leads to a voided purchase with note, by at most 25 keys, read back', async () => {
  const { purchaseId } = await operator.recordPurchase({
    packageName,
    productId: 'coins',
    orderId: '00012345678901234567890',
    buyerId: oddText,
    developerPayload: oddText,
  });
  await using opened = await openSignedIn();
  const { page, failures } = opened;
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const keys = keyboardOf(page);
  await keys.press('/');
  await keys.type(' 00012345678901234567890 ');
  await keys.press('Enter');
  await page.getByText('What the developer sees').waitFor();
  await page.getByText('completed', { exact: true }).waitFor();
  await page.getByText('inappPurchaseState').or(page.getByText('purchaseState')).first().waitFor();
  await expectAccessibleEverywhere(page);
  await keys.press('v');
  const dialog = page.getByRole('dialog', { name: 'Void a purchase' });
  await dialog.getByText('The developer gets the event purchase.voided.').waitFor();
  await expectAccessible(page);
  await keys.press('ArrowDown', 'ArrowDown', 'ArrowDown', 'Tab');
  await keys.type(oddText);
  await keys.press('Tab');
  await keys.type('T-1');
  await keys.press('Enter');
  const status = page.getByRole('status').filter({ hasText: 'Voided' });
  await status.getByText(oddText).waitFor();
  await status.getByText('operator:helpdesk').waitFor();
  expect(keys.count()).toBeLessThanOrEqual(25);
  await page.getByText('voided', { exact: true }).waitFor();
  await expectAccessibleEverywhere(page);
  const stored = await operator.getPurchase({ packageName, purchaseId });
  expect(stored.purchaseState).toBe(1);
  const { actions } = await operator.listActions({ packageName, subject: purchaseId });
  expect(actions).toMatchObject([{ reasonCode: 'fraud', note: oddText, ticket: 'T-1' }]);
  expect(failures).toEqual([]);
});

test('effects that have changed are shown with 409, and nothing typed is lost', async () => {
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'monthly' });
  await using opened = await openSignedIn({ path: pathOf(purchaseId) });
  const { page, failures } = opened;
  await page.getByRole('button', { name: 'Void' }).click();
  const dialog = page.getByRole('dialog', { name: 'Void a purchase' });
  await dialog.getByText('now active, is terminated').waitFor();
  const note = dialog.getByLabel('Note');
  await dialog.getByLabel('Reason').selectOption('other');
  await dialog.getByRole('button', { name: `Void ${purchaseId}` }).click();
  expect(
    await note.evaluate((field: { matches(selector: string): boolean }) => field.matches(':invalid')),
  ).toBe(true);
  await note.fill('n'.repeat(10_000));
  await page.keyboard.press('Control+Enter');
  await dialog.getByText('The values are not valid').waitFor();
  expect(await note.getAttribute('aria-invalid')).toBe('true');
  await note.fill('Called twice');
  await operator.cancelSubscription({ packageName, firstPurchaseId: purchaseId });
  await page.keyboard.press('Control+Enter');
  await dialog.getByText('now auto_payment_off, is terminated').waitFor();
  await dialog.getByText('Not possible in the current state').waitFor();
  await expectAccessible(page);
  expect(await note.inputValue()).toBe('Called twice');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('status').getByText('Called twice').waitFor();
  expect(failures).toEqual([]);
});

test('of two tabs that void a purchase at once, one reports that its reason was not stored, and Back shows it void in the list', async () => {
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'coins' });
  await using opened = await openSignedIn({ path: `/console/apps/${packageName}/purchases` });
  const { page, failures } = opened;
  const row = page.getByRole('table', { name: 'Purchases' }).locator('tr', { hasText: purchaseId });
  await row.getByText('completed').waitFor();
  await row.getByRole('link', { name: purchaseId }).click();
  const second = await page.context().newPage();
  await second.goto(server.operatorUrl + pathOf(purchaseId));
  const tabs = [
    { tab: page, code: 'fraud', note: 'first' },
    { tab: second, code: 'test', note: 'second' },
  ];
  for (const { tab, code, note } of tabs) {
    await tab.getByRole('button', { name: 'Void' }).click();
    const dialog = tab.getByRole('dialog', { name: 'Void a purchase' });
    await dialog.getByText('The developer gets the event').waitFor();
    await dialog.getByLabel('Reason').selectOption(code);
    await dialog.getByLabel('Note').fill(note);
  }
  await Promise.all(tabs.map(({ tab }) => tab.getByRole('button', { name: `Void ${purchaseId}` }).click()));
  const statuses = tabs.map(({ tab }) => tab.getByRole('status').filter({ hasText: 'Voided' }));
  for (const status of statuses) await status.getByText(/^(first|second)$/).waitFor();
  const { actions } = await operator.listActions({ packageName, subject: purchaseId });
  expect(actions).toHaveLength(1);
  const notFirst = tabs.findIndex(({ note }) => note !== actions[0]?.note);
  await statuses[notFirst]?.getByText('your reason was not stored').waitFor();
  for (const status of statuses) await status.getByText(actions[0]?.note ?? '', { exact: true }).waitFor();
  const warnings = await Promise.all(statuses.map((status) => status.getByText('not stored').count()));
  expect(warnings.toSorted()).toEqual([0, 1]);
  await page.goBack();
  await row.getByText('voided').waitFor();
  expect(failures).toEqual([]);
});

test('times are shown in the zone of the store, UTC or that of the browser, whatever its clock says', async () => {
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'coins' });
  await using opened = await open({ timeZone: 'Asia/Kolkata' });
  const { page, failures } = opened;
  await page.clock.setFixedTime('2001-01-01T00:00:00Z');
  await signIn(page, server, { path: pathOf(purchaseId) });
  await page.getByText('15 Mar 2026, 13:00 CET').first().waitFor();
  await page.getByLabel('Time zone').selectOption('utc');
  await page.getByText('15 Mar 2026, 12:00 UTC').first().waitFor();
  await page.getByLabel('Time zone').selectOption('local');
  await page.getByText('15 Mar 2026, 17:30 GMT+5:30').first().waitFor();
  await page.reload();
  await page.getByText('15 Mar 2026, 17:30 GMT+5:30').first().waitFor();
  expect(failures).toEqual([]);
});

test('a purchase that does not exist offers to find its id in all apps', async () => {
  await using opened = await openSignedIn({ path: pathOf('SANDBOX404') });
  const { page, failures } = opened;
  await page.getByText('Not found', { exact: true }).waitFor();
  await expectAccessibleEverywhere(page);
  await page.getByRole('link', { name: 'Find this id in all apps' }).click();
  await page.getByText('Nothing was found for SANDBOX404').waitFor();
  expect(failures).toEqual([]);
});
