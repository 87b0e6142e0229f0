// The overview, and whether something needs attention, which every page shows.

import { expect, test } from 'vitest';
import { newTestApp, testNow, useForFile } from '../../server/test/harness.ts';
import { rememberedMs } from '../../server/test/status/attention-calls.ts';
import { answering, startTestReceiver } from '../../server/test/webhooks/test-receiver.ts';
import { openJob } from '../../server/test/webhooks/webhook-stage.ts';
import { expectAccessibleEverywhere, useConsole } from './browser.ts';

const receiver = await useForFile(startTestReceiver());
const { openSignedIn, operator, server } = await useConsole();
const delivering = await useForFile(Promise.resolve(openJob(server)));

const iconOfWindow = `decodeURIComponent(document.querySelector('link[rel~="icon"]').href)`;

test('the bar, the title and the icon of every page show that a webhook fails, until it works again', async () => {
  const { packageName } = await newTestApp(server);
  receiver.react(() => answering(500));
  await operator.putWebhook({ packageName, url: receiver.url });
  await operator.testWebhook({ packageName });
  await delivering.job.runOnce();
  await using opened = await openSignedIn();
  const { page, failures } = opened;
  const row = page.getByRole('list', { name: 'Attention' }).getByRole('listitem');
  await row.filter({ hasText: 'A webhook is failing' }).filter({ hasText: packageName }).waitFor();
  await page.getByRole('link', { name: 'Audit', exact: true }).click();
  await page.getByRole('heading', { name: 'Audit' }).waitFor();
  expect(await page.title()).toBe('(1) Audit - OpenTill sandbox');
  expect(await page.evaluate(iconOfWindow)).toContain('circle');
  await expectAccessibleEverywhere(page);
  await page.getByRole('banner').getByRole('link', { name: '1 needs attention' }).click();
  await row.getByRole('link', { name: 'Show' }).click();
  await page.getByText('HTTP 500').first().waitFor();

  receiver.react(() => answering(204));
  await operator.redeliverFailed({ packageName, since: testNow });
  await delivering.job.runOnce();
  await server.clock.advance(rememberedMs);
  await page.reload();
  await page.getByRole('banner').getByRole('link', { name: 'Everything is healthy' }).waitFor();
  expect(await page.title()).toBe(`${packageName} - OpenTill sandbox`);
  expect(await page.evaluate(iconOfWindow)).not.toContain('circle');
  expect(failures).toEqual([]);
});

test('in the sandbox the numbers of the overview are those of the chosen app, by its clock', async () => {
  const { packageName } = await newTestApp(server);
  await operator.putClock({ packageName, mode: 'frozen' });
  await operator.advanceClock({ packageName, by: 'P1Y' });
  await using opened = await openSignedIn();
  const { page, failures } = opened;
  await page.getByText('Numbers of all apps by real days.').waitFor();
  await page.getByRole('button', { name: 'App: All apps' }).click();
  const asked = page.waitForRequest((request) => request.url().includes('/statistics?'));
  const dialog = page.getByRole('dialog', { name: 'Choose an app' });
  await dialog.getByRole('button', { name: packageName }).click();
  const search = new URL((await asked).url()).searchParams;
  expect([search.get('packageName'), search.get('to')]).toEqual([packageName, '2027-03-15']);
  await page.getByText(`Numbers of ${packageName}, by its clock: now 15 Mar 2027`).waitFor();
  await expectAccessibleEverywhere(page);
  expect(failures).toEqual([]);
});
