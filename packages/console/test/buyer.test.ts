// The page of a buyer, in a real browser.

import { expect, test } from 'vitest';
import { expectAccessible, useConsole } from '../../../test/support/browser/browser.ts';
import { adminKey, newTestApp, supportKey } from '../../../test/support/harness.ts';

const { openSignedIn, operator, server } = await useConsole();

/** An id that is not safe anywhere but in a text. */
const buyerId = '<b>B&1042</b> "\u202e/?#';
const path = `/console/buyer?${new URLSearchParams({ id: buyerId, unknown: '1' })}`;

test('a buyer is shown with the subscriptions and purchases of all apps, and erased by an admin who types the id again', async () => {
  const { packageName } = await newTestApp(server);
  const other = await newTestApp(server);
  const monthly = { packageName: other.packageName, purchaseId: 'club-1', productId: 'monthly' };
  for (let count = 0; count < 51; count += 1)
    await operator.recordPurchase({ packageName, productId: 'coins', buyerId });
  await operator.recordPurchase({ ...monthly, buyerId });
  await using page = await openSignedIn({ key: supportKey, path });
  await page.getByRole('heading', { name: buyerId }).waitFor();
  await page.getByText('€259.48 for 52 purchases, periods included').waitFor();
  const rows = page.getByRole('table').locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(52);
  await rows.filter({ hasText: 'monthly' }).getByText('active').waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  const erase = page.getByRole('menuitem', { name: 'Erase Needs the role admin' });
  expect(await erase.isDisabled()).toBe(true);

  await operator.cancelSubscription({ packageName: other.packageName, firstPurchaseId: 'club-1' });
  await using admin = await openSignedIn({ key: adminKey, path });
  await admin.getByRole('button', { name: 'More actions' }).click();
  await expectAccessible(admin);
  await admin.getByRole('menuitem', { name: 'Erase' }).click();
  const dialog = admin.getByRole('dialog', { name: 'Erase a buyer' });
  const confirm = dialog.getByRole('button', { name: /^Erase/ });
  expect(await confirm.isDisabled()).toBe(true);
  await expectAccessible(admin);
  await dialog.getByLabel('Type the buyer id again').fill(buyerId);
  await dialog.getByLabel('Ticket').fill('T-1');
  await confirm.click();
  await admin.getByRole('status').getByText('Erased').waitFor();
  await admin.getByText('No purchase has this buyer id.').waitFor();
  const { actions } = await operator.listActions({ operationId: 'eraseBuyer' });
  expect(actions[0]?.ticket).toBe('T-1');
});
