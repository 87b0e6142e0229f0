// The find page and the page of a buyer, in a real browser.

import { expect, test } from 'vitest';
import { adminKey, newTestApp, supportKey } from '../../server/test/harness.ts';
import {
  expectAccessible,
  expectAccessibleEverywhere,
  expectAccessibleInBothSchemes,
  useConsole,
} from './browser.ts';

const { openSignedIn, operator, server } = await useConsole();

/** An id that is not safe anywhere but in a text. */
const buyerId = '<b>B&1042</b> "\u202e/?#';

const { packageName } = await newTestApp(server);
for (let count = 0; count < 52; count += 1)
  await operator.recordPurchase({ packageName, productId: 'coins', buyerId });

const path = `/console/buyer?${new URLSearchParams({ id: buyerId, unknown: '1' })}`;

/** The same text is the id of an order and of another buyer. */
const sharedId = '42';
await operator.recordPurchase({ packageName, productId: 'coins', orderId: sharedId });
await operator.recordPurchase({ packageName, productId: 'coins', buyerId: sharedId });
const single = { productId: 'coins', purchaseId: 'P-single', orderId: 'O-single' };
await operator.recordPurchase({ packageName, ...single });

const production = await useConsole({ environment: 'production' });
const sold = await newTestApp(production.server);
await production.operator.recordPurchase({ ...purchaseOf(sold), orderId: sharedId });
await production.operator.recordPurchase({ ...purchaseOf(sold), orderId: '43', buyerId: sharedId });
await production.operator.recordPurchase({ ...purchaseOf(sold), ...single });

function purchaseOf({ packageName }: { readonly packageName: string }) {
  return { packageName, productId: 'coins' };
}

const consoles = { sandbox: { openSignedIn, server }, production };

test.each(['sandbox', 'production'] as const)(
  'the address of a search opens a single record, lists several, and says what was compared, in %s',
  async (environment) => {
    const { openSignedIn, server } = consoles[environment];
    await using opened = await openSignedIn({ path: `/console/find?q=${sharedId}&unknown=1` });
    const { page, failures } = opened;
    const dialog = page.getByRole('dialog', { name: 'Find' });
    await dialog.getByText(`Buyer ${sharedId}`).waitFor();
    await dialog.getByText(/^Purchase ./).waitFor();
    await expectAccessibleEverywhere(page);
    await page.goto(`${server.operatorUrl}/console/find?orderId=GPA.0000-0000`);
    await dialog.getByText('Nothing is found.').waitFor();
    await dialog.getByText('Compares whole ids').waitFor();
    await expectAccessibleEverywhere(page);
    await page.goto(`${server.operatorUrl}/console/find?q=${'x'.repeat(10_000)}`);
    await page.getByText('The values are not valid').first().waitFor();
    await page.goto(`${server.operatorUrl}/console/find?orderId=O-single`);
    await page.waitForURL('**/purchases/P-single');
    expect(failures).toEqual([]);
  },
);

test('support sees the voided purchases of all apps, and the purchases of all apps or of one chosen by its name', async () => {
  const app = await newTestApp(server);
  await operator.updateApp({ packageName: app.packageName, name: 'Quest of Embers' });
  const sold = { packageName: app.packageName, purchaseId: 'void-1' };
  await operator.recordPurchase({ ...sold, productId: 'coins' });
  await operator.voidPurchase({ ...sold, reasonCode: 'fraud' });
  await using opened = await openSignedIn({
    key: supportKey,
    path: '/console/purchases?state=voided',
  });
  const { page, failures } = opened;
  const row = page.getByRole('row', { name: /void-1/ });
  await row.waitFor();
  await expectAccessibleEverywhere(page);
  await page.getByRole('link', { name: 'Purchases', exact: true }).click();
  await page.getByRole('heading', { name: 'Purchases' }).waitFor();
  await row.getByText(app.packageName).first().waitFor();
  await expectAccessible(page);
  const field = page.getByRole('combobox', { name: 'App', exact: true });
  await field.fill('embers');
  await page.getByRole('option', { name: 'Quest of Embers' }).waitFor();
  // The apps that were offered before the text are gone.
  await expect.poll(() => page.getByRole('listbox').getByRole('option').count()).toBe(1);
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/purchases?packageName=${app.packageName}`);
  await page.getByRole('link', { name: 'void-1' }).waitFor();
  await expectAccessibleEverywhere(page);
  expect(failures).toEqual([]);
});

test('the purchases of a buyer are listed in pages', async () => {
  await using opened = await openSignedIn({ key: supportKey, path });
  const { page, failures } = opened;
  const rows = page.getByRole('table', { name: 'Purchases of the buyer' }).locator('tbody tr');
  await rows.nth(49).waitFor();
  expect(await rows.count()).toBe(50);
  expect(await page.getByRole('button', { name: 'Erase' }).getAttribute('aria-description')).toBe(
    'Needs the role admin',
  );
  await page.getByRole('link', { name: 'Next' }).click();
  await rows.nth(2).waitFor({ state: 'detached' });
  expect(await rows.count()).toBe(2);
  await expectAccessibleInBothSchemes(page);
  expect(failures).toEqual([]);
});

test('a buyer is shown with the subscriptions and purchases of all apps', async () => {
  const [first, second] = [await newTestApp(server), await newTestApp(server)];
  const sold = { buyerId: 'B-two-apps' };
  const sword = { packageName: first.packageName, purchaseId: 'sword-1' };
  await operator.recordPurchase({ ...sold, ...sword, productId: 'coins' });
  await operator.recordPurchase({
    ...sold,
    packageName: second.packageName,
    purchaseId: 'club-1',
    productId: 'monthly',
  });
  await using opened = await openSignedIn({ key: supportKey, path: '/console/buyer?id=B-two-apps' });
  const { page, failures } = opened;
  const row = page
    .getByRole('table', { name: 'Subscriptions of the buyer' })
    .getByRole('row', { name: /club-1/ });
  await row.getByText('active').waitFor();
  await page.getByRole('table', { name: 'Purchases of the buyer' }).getByText('sword-1').waitFor();
  await expectAccessibleEverywhere(page);
  expect(failures).toEqual([]);
});

test('an admin erases a buyer after typing the id again, and the page reads back that nothing is left', async () => {
  await using opened = await openSignedIn({ key: adminKey, path });
  const { page, failures } = opened;
  await page.getByRole('button', { name: 'Erase' }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase a buyer' });
  const confirm = dialog.getByRole('button', { name: /^Erase/ });
  expect(await confirm.isDisabled()).toBe(true);
  await expectAccessible(page);
  await dialog.getByLabel('Type the buyer id again').fill(buyerId);
  await dialog.getByLabel('Ticket').fill('T'.repeat(65));
  await confirm.click();
  await dialog.getByText('The values are not valid').waitFor();
  expect(await dialog.getByLabel('Ticket').getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await dialog.getByLabel('Ticket').fill('T-1');
  await confirm.click();
  await page.getByRole('status').getByText('Erased').waitFor();
  await page.getByText('No purchase has this buyer id.').waitFor();
  await expectAccessible(page);
  const { actions } = await operator.listActions({ operationId: 'eraseBuyer' });
  expect(actions[0]?.ticket).toBe('T-1');
  expect(failures).toEqual([]);
});
