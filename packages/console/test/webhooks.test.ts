// The webhook of an app, its deliveries and those of all apps, in a real browser, with a receiver on a real socket.

import { expect, test } from 'vitest';
import {
  expectAccessible,
  expectAccessibleEverywhere,
  useConsole,
} from '../../../test/support/browser/browser.ts';
import { adminKey, newTestApp, supportKey, useForFile } from '../../../test/support/harness.ts';
import { responding, startTestReceiver } from '../../../test/support/webhooks/test-receiver.ts';
import { openJob } from '../../../test/support/webhooks/webhook-stage.ts';

const receiver = await useForFile(startTestReceiver());
const { openSignedIn, operator, server } = await useConsole();
const delivering = await useForFile(Promise.resolve(openJob(server)));

/** A response that tries to break the page that shows it. */
const hostileResponse = '</pre><script>alert(1)</script>\u202e out of order';

test('an admin sets, tests, rotates and deletes a webhook, whose secrets are shown once', async () => {
  const { packageName } = await newTestApp(server);
  await using page = await openSignedIn({ key: adminKey, path: `/console/apps/${packageName}/webhook` });
  await page.getByText('No URL is set').waitFor();
  await page.getByRole('button', { name: 'Set a URL' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('http://10.0.0.1/');
  await dialog.getByRole('button', { name: /^Save/ }).click();
  await dialog.getByText('The values are not valid').waitFor();
  expect(await dialog.getByLabel('URL').inputValue()).toBe('http://10.0.0.1/');
  await dialog.getByLabel('URL').fill(receiver.url);
  await dialog.getByRole('button', { name: /^Save/ }).click();
  const shown = page.getByRole('dialog', { name: 'The new webhook secret' });
  const secret = await shown.locator('pre').innerText();
  expect(secret).toMatch(/^whsec_/);
  await expectAccessible(page);
  await shown.getByRole('button', { name: 'I have copied it' }).click();
  await shown.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(secret);
  await page.getByRole('button', { name: 'Rotate the webhook secret' }).click();
  await page.getByRole('button', { name: `Rotate for ${packageName}` }).click();
  await shown.getByText('The previous secret is valid until').waitFor();
  await shown.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByText('also signs until').waitFor();

  receiver.react(() => responding(204));
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByText('Event 1 was created').waitFor();
  await delivering.job.runOnce();
  await page.getByRole('link', { name: 'show its delivery' }).click();
  await page.getByText('Attempt 1 got HTTP 204.').waitFor();
  await page.goBack();
  await page.getByRole('table', { name: 'Deliveries' }).getByText('HTTP 204').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: `Delete the webhook of ${packageName}` }).click();
  await page.getByText('No URL is set').waitFor();
});

test('support finds the worst webhook, sees why a delivery failed, and resends it and all failed ones', async () => {
  const { packageName } = await newTestApp(server);
  await operator.putWebhook({ packageName, url: receiver.url });
  receiver.react(() => responding(500, hostileResponse));
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'coins' });
  await operator.voidPurchase({ packageName, purchaseId, note: 'a test' });
  await delivering.job.runOnce();
  await using page = await openSignedIn({ key: supportKey, path: '/console/webhooks' });
  const first = page.getByRole('table', { name: 'Webhooks' }).locator('tbody tr').first();
  await first.getByText(packageName).waitFor();
  await first.getByText('failing').waitFor();
  await first.getByRole('link', { name: packageName }).click();
  const deliveries = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
  await deliveries.filter({ hasText: 'queued' }).getByRole('link').click();
  await page.getByText('It waits until the earlier event 1 of the same purchase').waitFor();
  await page.getByText('There was no attempt yet.').waitFor();
  expect(await page.getByRole('button', { name: 'Resend' }).isDisabled()).toBe(true);
  await page.getByRole('link', { name: 'Show that delivery' }).click();
  await page.getByText('Attempt 1 got HTTP 500. It is retried.').waitFor();
  await page.getByText(hostileResponse.slice(0, 12)).waitFor();
  await page.getByText('webhook-timestamp: ').waitFor();
  expect(await page.getByText('v1,').count()).toBe(0);
  await expectAccessibleEverywhere(page);

  receiver.react(() => responding(204));
  await page.getByRole('button', { name: 'Resend' }).click();
  await page.getByRole('button', { name: 'Resend purchase.completed' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await delivering.job.runOnce();
  await page.getByText('Attempt 2 got HTTP 204.').waitFor();
  await page.getByRole('link', { name: packageName }).click();
  await page.getByRole('button', { name: 'Resend all failed' }).click();
  await page.getByRole('button', { name: `Resend for ${packageName}` }).click();
  await page.getByText('deliveries were scheduled again').waitFor();
});
