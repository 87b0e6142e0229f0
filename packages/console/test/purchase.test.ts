// The page of a purchase, in a real browser.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signIn, useConsole } from '../../../test/support/browser/browser.ts';
import { newTestApp } from '../../../test/support/harness.ts';
import { responding, startTestReceiver } from '../../../test/support/webhooks/test-receiver.ts';
import { openJob } from '../../../test/support/webhooks/webhook-stage.ts';

const env = { OPENTILL_TIME_ZONE: 'Europe/Berlin' };
const { open, openSignedIn, operator, server } = await useConsole({ env });
const { packageName } = await newTestApp(server);

const pathOf = (purchaseId: string) => `/console/apps/${packageName}/purchases/${purchaseId}`;

const storyOf = (page: Page) => page.getByRole('list', { name: 'What happened' });

test('a rejected void loses nothing that was typed', async () => {
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'monthly' });
  await using page = await openSignedIn({ path: pathOf(purchaseId) });
  await page.getByRole('button', { name: 'Void' }).click();
  const dialog = page.getByRole('dialog', { name: 'Void a purchase' });
  await dialog.getByText('now active, is terminated').waitFor();
  await dialog.getByLabel('Reason').selectOption('other');
  const note = dialog.getByLabel('Note');
  await note.fill('n'.repeat(10_000));
  await page.keyboard.press('Control+Enter');
  await dialog.getByText('The values are not valid').waitFor();
  expect(await note.getAttribute('aria-invalid')).toBe('true');
  await note.fill('Called twice');
  await page.keyboard.press('Control+Enter');
  // The void and the end of the subscription both have the note.
  await storyOf(page).getByText('Called twice').first().waitFor();
});

test('a void that refunds a part says what the checkout must return, before and after', async () => {
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'coins' });
  await using page = await openSignedIn({ path: pathOf(purchaseId) });
  await page.getByRole('button', { name: 'Void' }).click();
  const dialog = page.getByRole('dialog', { name: 'Void a purchase' });
  await dialog.getByText('Your checkout must return €4.99').waitFor();
  await dialog.getByText('None', { exact: true }).click();
  await dialog.getByText('The buyer gets no money back').waitFor();
  await dialog.getByText('Part', { exact: true }).click();
  await dialog.getByLabel('Refund amount').fill('2,00');
  await dialog.getByText('Your checkout must return €2.00').waitFor();
  await dialog.getByLabel('Reason').selectOption('test');
  await page.getByRole('button', { name: 'Void coins' }).click();
  await page.getByRole('status').getByText('return €2.00').waitFor();
  expect((await operator.getPurchase({ packageName, purchaseId })).refundAmount).toBe(200);
});

test('of two tabs that void a purchase at once, one reports that its reason was not stored, and Back shows it void in the list', async () => {
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'coins' });
  await using page = await openSignedIn({ path: `/console/apps/${packageName}/purchases` });
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
  await Promise.all(tabs.map(({ tab }) => tab.getByRole('button', { name: 'Void coins' }).click()));
  for (const { tab } of tabs)
    await storyOf(tab)
      .getByText(/, (first|second)$/)
      .waitFor();
  const { actions } = await operator.listActions({ packageName, subject: purchaseId });
  expect(actions).toHaveLength(1);
  for (const { tab, note } of tabs) {
    const warning = tab.getByRole('status').getByText('your reason was not stored');
    if (note === actions[0]?.note) expect(await warning.count()).toBe(0);
    else await warning.waitFor();
  }
  await page.goBack();
  await row.getByText('voided').waitFor();
});

test('in the list, a time in the hour that comes twice has its offset, and any other has none', async () => {
  const times = ['2025-10-26T00:30Z', '2025-10-26T01:30Z', '2025-10-26T02:30Z'].map((text) =>
    Date.parse(text),
  );
  for (const purchaseTime of times)
    await operator.recordPurchase({ packageName, productId: 'coins', purchaseTime });
  await using page = await openSignedIn({ path: `/console/apps/${packageName}/purchases` });
  const shown = page.getByRole('table', { name: 'Purchases' }).getByText('26 Oct 2025');
  await shown.nth(2).waitFor();
  const texts = await shown.allTextContents();
  expect(texts.map((text) => text.replace(' app time', ''))).toEqual([
    '26 Oct 2025, 03:30:00',
    '26 Oct 2025, 02:30:00 GMT+1',
    '26 Oct 2025, 02:30:00 GMT+2',
  ]);
});

test('the story of a purchase has its changes with authors, and the deliveries of their events; support marks it as consumed', async () => {
  await using receiver = await startTestReceiver();
  receiver.react(() => responding(500));
  await using delivering = openJob(server);
  await operator.putWebhook({ packageName, url: receiver.url });
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'coins' });
  await delivering.job.runOnce();
  await using page = await openSignedIn({ path: pathOf(purchaseId) });
  await page.getByRole('heading', { name: 'coins, €4.99' }).waitFor();
  const bought = storyOf(page).getByRole('listitem').filter({ hasText: 'Bought by admin' });
  await bought.getByText('HTTP 500').waitFor();
  await page.getByRole('button', { name: 'Mark as consumed' }).click();
  await page.getByRole('button', { name: 'Mark coins as consumed' }).click();
  await storyOf(page).getByText('Consumed', { exact: true }).waitFor();
  await storyOf(page).getByText('helpdesk', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Mark as consumed' }).count()).toBe(0);
  await page.getByText('getPurchaseDetails', { exact: true }).click();
  await page.getByText('"consumptionState": 1').first().waitFor();
  await bought.getByRole('link', { name: 'Webhook' }).click();
  await page.getByText('Attempt 1 got HTTP 500.').waitFor();
  await operator.deleteWebhook({ packageName });
  await page.goto(server.operatorUrl + pathOf('SANDBOX404'));
  await page.getByRole('link', { name: 'Find this id in all apps' }).click();
  await page.getByText('No results').waitFor();
});

test('times are shown in the zone of the store, UTC or that of the browser, whatever its clock says', async () => {
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'coins' });
  await using page = await open({ timeZone: 'Asia/Kolkata' });
  await page.clock.setFixedTime('2001-01-01T00:00:00Z');
  await signIn(page, server, { path: pathOf(purchaseId) });
  await page.getByText('15 Mar 2026, 13:00:00 CET').first().waitFor();
  const choose = async (zone: string): Promise<void> => {
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel(/^Time zone/).selectOption(zone);
    await page.goBack();
  };
  await choose('utc');
  await page.getByText('15 Mar 2026, 12:00:00 UTC').first().waitFor();
  await choose('local');
  await page.getByText('15 Mar 2026, 17:30:00 GMT+5:30').first().waitFor();
  await page.reload();
  await page.getByText('15 Mar 2026, 17:30:00 GMT+5:30').first().waitFor();
});
