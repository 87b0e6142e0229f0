// The clock of an app is run and frozen, its token expires, and a cancelled subscription is reactivated, in a real browser.

import { expect } from 'vitest';
import { builtConsole } from '../../server/src/console-bundle.ts';
import {
  adminKey,
  newTestApp,
  operatorOf,
  recordTestPurchase,
  startTestServer,
  useForFile,
} from '../../server/test/harness.ts';
import { waitFor } from '../../server/test/wait-for.ts';
import { browserTest, signIn, useBrowser } from './browser.ts';

const open = await useBrowser();
const server = await useForFile(startTestServer({ console: builtConsole }));
const operator = operatorOf(server);

browserTest('the lab freezes and runs the clock, and expires the token of the backend', async () => {
  const { packageName } = await newTestApp(server);
  await using opened = await open();
  const { page, failures } = opened;
  await signIn(page, server, { key: adminKey, path: `/console/apps/${packageName}/lab` });
  await page.getByRole('button', { name: 'Freeze' }).click();
  await page.getByRole('button', { name: 'Run', exact: false }).first().waitFor();
  expect((await operator.getClock({ packageName })).mode).toBe('frozen');
  const expired = page.waitForResponse((response) => response.url().endsWith('/token') && response.ok());
  await page.getByRole('button', { name: 'Expire token' }).click();
  await expired;
  await waitFor(
    async () => (await operator.listActions({ packageName, operationId: 'putToken' })).actions[0],
    { deadlineMs: 20_000, what: 'an expired token' },
  );
  expect(failures).toEqual([]);
});

browserTest('a cancelled subscription is reactivated with a reason', async () => {
  const { packageName } = await newTestApp(server);
  await recordTestPurchase(server, { packageName }, { productId: 'monthly', purchaseId: 'S-1' });
  await operator.cancelSubscription({ packageName, firstPurchaseId: 'S-1', note: 'a mistake' });
  await using opened = await open();
  const { page, failures } = opened;
  await signIn(page, server, { path: `/console/apps/${packageName}/subscriptions/S-1` });
  await page.getByRole('button', { name: 'Reactivate' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').selectOption('customerRequest');
  await dialog.getByRole('button', { name: 'Reactivate S-1' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Cancel', exact: false }).first().waitFor();
  expect((await operator.getSubscription({ packageName, firstPurchaseId: 'S-1' })).state).toBe('active');
  expect(failures).toEqual([]);
});
