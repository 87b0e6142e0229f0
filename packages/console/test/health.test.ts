// Whether something needs attention, on every page.

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
  server.clock.advance(rememberedMs);
  await page.reload();
  await page.getByRole('banner').getByRole('link', { name: 'Everything is healthy' }).waitFor();
  expect(await page.title()).toBe(`${packageName} - OpenTill sandbox`);
  expect(await page.evaluate(iconOfWindow)).not.toContain('circle');
  expect(failures).toEqual([]);
});
