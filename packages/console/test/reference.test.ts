// The reference of the APIs at /docs, in a real browser.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useBrowser } from '../../../test/support/browser/browser.ts';
import {
  createTestApp,
  operatorOf,
  recordTestPurchase,
  useTestServer,
} from '../../../test/support/harness.ts';

const server = await useTestServer();
const operator = operatorOf(server);
const open = await useBrowser();

/** The app and the purchase of the examples. */
const packageName = 'com.example.demo';
const purchaseId = 'SANDBOX-DEMO-COINS';

/** Goes to the reference, and lists what the page requests of other servers. */
async function openReference(page: Page, url: string): Promise<readonly string[]> {
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (!/^(?:data:|blob:)/.test(request.url()) && !request.url().startsWith(url))
      elsewhere.push(request.url());
  });
  await page.goto(url);
  return elsewhere;
}

test('a developer tries a call of the reference of a sandbox with a token, and reads it as curl and as a call of the client', async () => {
  const app = await createTestApp(server, packageName);
  await recordTestPurchase(server, app, { purchaseId });
  await using page = await open();
  const elsewhere = await openReference(page, server.publicUrl);
  await page.getByPlaceholder('Token').fill(app.token);
  await page.getByRole('link', { name: /^Mark a purchase as consumed/ }).click();
  const call = page.getByRole('region', { name: 'Mark a purchase as consumed' });
  const path = `/v2/purchase/consume/${purchaseId}/${packageName}`;
  await call.getByText(`'${server.publicUrl}${path}'`).waitFor();
  await call.getByRole('button', { name: 'Change code sample language: curl' }).click();
  await page.getByRole('option', { name: 'TypeScript client' }).click();
  await call.getByText(`await client.consumePurchase({ purchaseId: '${purchaseId}' });`).waitFor();
  await call.getByRole('button', { name: /^Test Request/ }).click();
  const consumed = async () => {
    // A busy server responds with 503, after which a person sends it again.
    await page.getByRole('button', { name: /^Send post request/ }).click();
    return (await operator.getPurchase({ packageName, purchaseId })).consumptionState;
  };
  await expect.poll(consumed, { interval: 1_000 }).toBe(1);
  expect(elsewhere).toEqual([]);
});

test('the operator listener shows the operator API, whose calls cannot be tried', async () => {
  await using page = await open();
  const elsewhere = await openReference(page, `${server.operatorUrl}/docs`);
  await page.getByRole('link', { name: /^Operator API/ }).click();
  await page.getByRole('link', { name: /^Record a purchase/ }).click();
  const call = page.getByRole('region', { name: 'Record a purchase' });
  await call.getByText(`${server.operatorUrl}/operator/v1/apps/${packageName}/purchases`).waitFor();
  expect(await page.getByRole('button', { name: /^Test Request/ }).count()).toBe(0);
  expect(elsewhere).toEqual([]);
});
