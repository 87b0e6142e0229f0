// The scenarios and faults of the lab, in a real browser.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  adminKey,
  callPurchaseApi,
  clientOf,
  newTestApp,
  recordTestPurchase,
} from '../../server/test/harness.ts';
import { expectAccessible, expectAccessibleInBothSchemes, useConsole } from './browser.ts';

const { openSignedIn, operator, server } = await useConsole();

/** A busy machine takes ten times as long. */
const soon = { timeout: 20_000 };

const openLab = (packageName: string) =>
  openSignedIn({ key: adminKey, path: `/console/apps/${packageName}/lab` });

async function startScenario(page: Page, name: string): Promise<void> {
  await page.getByLabel('Scenario', { exact: true }).selectOption(name);
  await page.getByRole('button', { name: 'Run scenario' }).click();
}

async function untilDone(page: Page): Promise<void> {
  const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
  await expect
    .poll(async () => (await steps.allTextContents()).filter((text) => !text.includes(' done')), soon)
    .toEqual([]);
}

test('one button on an empty lab plays a purchase, a renewal and a void', async () => {
  const packageName = 'com.example.empty';
  await operator.createApp({ packageName });
  await using opened = await openLab(packageName);
  const { page, failures } = opened;
  await page.getByText('Nothing falls due.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Play a purchase, a renewal and a void' }).click();
  await untilDone(page);
  const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  await expect.poll(() => events.count(), soon).toBe(4);
  const { events: happened } = await operator.listEvents({ packageName });
  expect(happened.map(({ type }) => type)).toEqual([
    'subscription.started',
    'subscription.renewed',
    'purchase.voided',
    'subscription.terminated',
  ]);
  await expectAccessible(page);
  expect(failures).toEqual([]);
});

test('scenarios of charges end as they say, and set the earlier faults again', async () => {
  const { packageName } = await newTestApp(server);
  const earlier = { operation: 'getVoidedPurchases', httpStatus: 500, times: 3 } as const;
  await operator.putFaults({ packageName, faults: [earlier] });
  await using opened = await openLab(packageName);
  const { page, failures } = opened;
  for (const [name, state, months] of [
    ['Declined twice, then paid', 'active', 2],
    ['Declined to the end', 'expired', 1],
    ['Cancel with a charge in flight', 'auto_payment_off', 2],
  ] as const) {
    await startScenario(page, name);
    await untilDone(page);
    const { events } = await operator.listEvents({ packageName });
    const started = events.findLast(({ type }) => type === 'subscription.started');
    const firstPurchaseId = started !== undefined && 'purchaseId' in started ? started.purchaseId : '';
    const subscription = await operator.getSubscription({ packageName, firstPurchaseId });
    expect([name, subscription.state, subscription.months.length]).toEqual([name, state, months]);
    expect((await operator.getFaults({ packageName })).faults).toEqual([{ ...earlier, applied: 0 }]);
  }
  expect(failures).toEqual([]);
});

test('a scenario is not disturbed by another subscription that falls due', async () => {
  const { packageName } = await newTestApp(server);
  await operator.putClock({ packageName, mode: 'frozen' });
  await recordTestPurchase(server, { packageName }, { productId: 'monthly', purchaseId: 'S-other' });
  await operator.advanceClock({ packageName, by: 'PT13M' });
  await using opened = await openLab(packageName);
  const { page, failures } = opened;
  await startScenario(page, 'Declined twice, then paid');
  await untilDone(page);
  const { events } = await operator.listEvents({ packageName });
  const started = events.findLast(({ type }) => type === 'subscription.started');
  const firstPurchaseId = started !== undefined && 'purchaseId' in started ? started.purchaseId : '';
  const outcomesOf = async (id: string) =>
    (await operator.listAttempts({ packageName, firstPurchaseId: id })).attempts.map(
      ({ outcome }) => outcome,
    );
  expect(await outcomesOf(firstPurchaseId)).toEqual(['paid', 'declined', 'declined']);
  expect(await outcomesOf('S-other')).toEqual(['paid']);
  expect(failures).toEqual([]);
});

test('a step that led to something else says so, and the scenario stops there', async () => {
  const { packageName } = await newTestApp(server);
  await using opened = await openLab(packageName);
  const { page, failures } = opened;
  // Another operator's change of the faults in the meantime would have this effect.
  await page.route('**/faults', (route) =>
    route.request().method() === 'PUT' ? route.continue({ postData: '[]' }) : route.continue(),
  );
  await startScenario(page, 'Declined twice, then paid');
  await page.getByText('expected declined, was paid').waitFor();
  await page.getByRole('button', { name: 'Run scenario' }).waitFor();
  const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
  await expect.poll(() => steps.filter({ hasText: ' skipped' }).count(), soon).toBe(3);
  expect(failures).toEqual([]);
});

test('a scenario waits for the calls of the backend, and goes on as they appear in the log', async () => {
  const app = await newTestApp(server);
  const { packageName } = app;
  await using opened = await openLab(packageName);
  const { page, failures } = opened;
  await startScenario(page, '503 twice');
  await page.getByText('Waiting for this call of your backend').waitFor();
  const { purchases } = await operator.listPurchases({ packageName });
  // The client retries after 503.
  await clientOf(server, app).getPurchaseDetails({ purchaseId: purchases[0]?.purchaseId ?? '' });
  await untilDone(page);
  expect((await operator.getFaults({ packageName })).faults).toEqual([]);
  const requests = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
  await requests.filter({ hasText: 'getPurchaseDetails x 2' }).waitFor();
  await requests.filter({ hasText: '503' }).first().getByRole('button').click();
  await expectAccessible(page);
  expect(failures).toEqual([]);
});

test('a scenario that is stopped sets the earlier faults again', async () => {
  const { packageName } = await newTestApp(server);
  const earlier = { operation: 'consumePurchase', code: 9202 } as const;
  await operator.putFaults({ packageName, faults: [earlier] });
  await using opened = await openLab(packageName);
  const { page, failures } = opened;
  await startScenario(page, '503 twice');
  await page.getByText('Waiting for this call of your backend').waitFor();
  const faultOf = async () => (await operator.getFaults({ packageName })).faults[0]?.operation;
  expect(await faultOf()).toBe('getPurchaseDetails');
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('button', { name: 'Run scenario' }).waitFor();
  expect(await faultOf()).toBe('consumePurchase');
  const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
  expect(await steps.filter({ hasText: ' skipped' }).count()).toBe(3);
  expect(failures).toEqual([]);
});

test('faults are added, sorted, counted and removed, and a call that failed is explained', async () => {
  const app = await newTestApp(server);
  const { packageName } = app;
  await using opened = await openLab(packageName);
  const { page, failures } = opened;
  const faults = page.getByRole('list', { name: 'Faults' }).getByRole('listitem');
  for (const preset of ['Read: 401 once', 'Token: 5 seconds late']) {
    await page.getByLabel('Preset').selectOption(preset);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await faults.filter({ hasText: preset.startsWith('Read') ? 'error 401' : '5 s late' }).waitFor();
  }
  await page.getByRole('button', { name: 'Move fault 2 up' }).click();
  await faults.first().getByText('5 s late').waitFor();
  await page.getByRole('button', { name: 'Remove fault 1' }).click();
  await faults.nth(1).waitFor({ state: 'detached' });
  const call = { token: app.token, path: `/details/P-1/${packageName}` };
  expect((await callPurchaseApi(server, call)).status).toBe(401);
  await faults.getByText('applied 1 of 1').waitFor();
  const otherPackage = { token: app.token, path: '/details/P-1/com.example.other' };
  expect((await callPurchaseApi(server, otherPackage)).status).toBe(404);
  await page
    .getByText('The packageName in the path does not belong to the app of the token.')
    .first()
    .waitFor();
  await page.getByLabel('Status').selectOption('404');
  await expect.poll(() => page.url(), soon).toContain('status=404');
  const requests = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
  await expect.poll(() => requests.count(), soon).toBe(1);
  await expectAccessibleInBothSchemes(page);
  expect(failures).toEqual([]);
});
