// What support and operators do most, in the sandbox and in production: sign in, find, void, cancel, pause and look around.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  contrastRules,
  expectAccessible,
  showScheme,
  useConsole,
} from '../../../test/support/browser/browser.ts';
import { rememberedMs } from '../../../test/support/calls/attention-calls.ts';
import { adminKey, newTestApp, supportKey, useForFile } from '../../../test/support/harness.ts';
import { stageEnv } from '../../../test/support/renewals/renewal-stage.ts';
import { startTestGateway } from '../../../test/support/renewals/test-gateway.ts';

const gateway = await useForFile(startTestGateway());
const environments = {
  sandbox: await useConsole(),
  production: await useConsole({ env: stageEnv(gateway) }),
};

/** Not safe anywhere but in a text. */
const oddText = '<img src=x onerror=alert(1)> \u202etxet\u202c =1+1';

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

/** With what is open, in both color schemes. */
async function expectReadable(page: Page): Promise<void> {
  for (const scheme of ['dark', 'light'] as const) {
    await showScheme(page, scheme);
    await expectAccessible(page, { runOnly: contrastRules });
  }
}

describe.each(Object.entries(environments))('in %s', (name, { open, openSignedIn, operator, server }) => {
  test('a key signs in on the page that was opened, which names the environment, until it signs out', async () => {
    await using page = await open();
    await page.goto(`${server.operatorUrl}/console/audit`);
    await page.getByLabel('Operator key').waitFor();
    await page.keyboard.insertText('a-wrong-operator-key');
    await page.keyboard.press('Enter');
    await page.getByText('This is not an operator key of this server.').waitFor();
    await page.getByLabel('Operator key').fill(supportKey);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    await page.getByRole('banner').getByText(name, { exact: false }).waitFor();
    expect(await page.title()).toBe(`Audit - OpenTill ${name}`);
    expect(await page.getByRole('link', { name: 'Lab' }).count()).toBe(name === 'sandbox' ? 1 : 0);
    await page.getByRole('button', { name: 'Session of helpdesk' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Operator key').waitFor();
    await page.reload();
    await page.getByLabel('Operator key').waitFor();
  });

  test('a pasted order id leads to a voided purchase with note, by at most 9 keys, read back', async () => {
    const { packageName } = await newTestApp(server);
    const orderId = '00012345678901234567890';
    const sale = { productId: 'coins', orderId, buyerId: oddText, developerPayload: oddText };
    const { purchaseId } = await operator.recordPurchase({ packageName, ...sale });
    await using page = await openSignedIn();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const keys = keyboardOf(page);
    await keys.press('/');
    await keys.type(` ${orderId} `);
    await page.getByRole('option', { name: purchaseId }).waitFor();
    await expectReadable(page);
    await keys.press('Enter');
    await page.getByText('completed', { exact: true }).waitFor();
    await keys.press('v');
    const dialog = page.getByRole('dialog', { name: 'Void a purchase' });
    await dialog.getByText('The developer gets the event purchase.voided.').waitFor();
    await dialog.getByText('not consumed').waitFor();
    await expectAccessible(page);
    await expectReadable(page);
    await keys.press('ArrowDown', 'ArrowDown', 'ArrowDown', 'Tab');
    await keys.type(oddText);
    await keys.press('Tab');
    await keys.type('T-1');
    await keys.press('Enter');
    const status = page.getByRole('status').filter({ hasText: 'Voided' });
    await status.getByText('helpdesk', { exact: true }).waitFor();
    await status.getByText(/return €4.99 for order .00012345678901234567890/).waitFor();
    await page.getByRole('list', { name: 'What happened' }).getByText(oddText).waitFor();
    expect(keys.count()).toBeLessThanOrEqual(9);
    expect((await operator.getPurchase({ packageName, purchaseId })).purchaseState).toBe(1);
    const { actions } = await operator.listActions({ packageName, subject: purchaseId });
    expect(actions).toMatchObject([{ reasonCode: 'fraud', note: oddText, ticket: 'T-1' }]);
  });

  test('support finds a subscription, cancels it with a note by keys, sees by whom, and reactivates it', async () => {
    const { packageName } = await newTestApp(server);
    const firstPurchaseId = 'S-1';
    await operator.recordPurchase({ packageName, productId: 'monthly', purchaseId: firstPurchaseId });
    await using page = await openSignedIn({ path: `/console/subscriptions?packageName=${packageName}` });
    await page.getByRole('link', { name: firstPurchaseId }).click();
    await page.getByText(/^Paid until/).waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Cancel auto-payment' });
    await dialog.getByText(/Access lasts until/).waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Reason').selectOption('customerRequest');
    await dialog.getByLabel('Note').fill('Asked on the phone');
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Auto-payment was cancelled by the store for the customer.').waitFor();
    const story = page.getByRole('list', { name: 'What happened' });
    const cancelled = story.getByRole('listitem').filter({ hasText: 'Auto-payment cancelled by helpdesk' });
    await cancelled.getByText('Customer request, Asked on the phone').waitFor();
    await page.getByRole('button', { name: 'Reactivate' }).click();
    await page.getByRole('dialog').getByLabel('Reason').selectOption('customerRequest');
    await page.getByRole('button', { name: 'Reactivate monthly' }).click();
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    expect((await operator.getSubscription({ packageName, firstPurchaseId })).state).toBe('active');
  });

  test('a pause of all renewals in the settings needs attention on the overview, which leads to its end', async () => {
    await using page = await openSignedIn({ key: adminKey, path: '/console/settings' });
    await page.getByRole('button', { name: 'Pause all renewals' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').selectOption('malfunction');
    await dialog.getByLabel('Note').fill('The provider reports an outage');
    await dialog.getByRole('button', { name: 'Pause the renewals of all apps' }).click();
    await page.getByText('Renewals of all apps are paused').waitFor();
    await server.clock.advance(rememberedMs);
    await page.reload();
    await page.getByRole('banner').getByRole('link', { name: '1 needs attention' }).click();
    const row = page.getByRole('list', { name: 'Attention' }).getByRole('listitem');
    await row.filter({ hasText: 'Renewals wait' }).getByRole('link', { name: 'Show' }).click();
    await page.getByText('The provider reports an outage').waitFor();
    await page.getByRole('button', { name: 'Resume all renewals' }).click();
    await dialog.getByLabel('Reason').selectOption('other');
    await dialog.getByLabel('Note').fill('It works again');
    await dialog.getByRole('button', { name: 'Resume the renewals of all apps' }).click();
    await page.getByText('Not paused store-wide: 0 due').waitFor();
    await server.clock.advance(rememberedMs);
    await page.reload();
    await page.getByRole('banner').getByRole('link', { name: 'Everything is healthy' }).waitFor();
  });
});
