// Every page of the console shows its data in a real browser, without errors and accessibly.

import { expect, test } from 'vitest';
import { adminKey, newTestApp, useForFile } from '../../../server/test/harness.ts';
import { answering, startTestReceiver } from '../../../server/test/webhooks/test-receiver.ts';
import { openJob } from '../../../server/test/webhooks/webhook-stage.ts';
import { expectAccessible, useConsole } from '../browser.ts';

const receiver = await useForFile(startTestReceiver());
const { open, openSignedIn, operator, server } = await useConsole();
const { packageName, clientId } = await newTestApp(server);
const sale = { packageName, buyerId: 'B-1' };
await operator.recordPurchase({ ...sale, productId: 'coins', purchaseId: 'P-1', orderId: 'O-1' });
await operator.recordPurchase({ ...sale, productId: 'monthly', purchaseId: 'S-1', orderId: 'O-2' });
await operator.recordPurchase({ packageName, productId: 'coins', purchaseId: 'P-2' });
await operator.voidPurchase({ packageName, purchaseId: 'P-2', reasonCode: 'duplicate' });
await operator.putWebhook({ packageName, url: receiver.url });
receiver.react(() => answering(500));
await operator.testWebhook({ packageName });
const delivering = await useForFile(Promise.resolve(openJob(server)));
await delivering.job.runOnce();
const [delivery] = (await operator.listDeliveries({ packageName })).deliveries;

const app = `apps/${packageName}`;

/** Paths, each with a text that is shown when its data have arrived. */
const pages = [
  ['', 'Latest changes'],
  ['reports', 'Reports'],
  ['buyer?id=B-1', 'P-1'],
  ['apps', packageName],
  [`${app}/purchases`, 'P-1'],
  [`${app}/products`, 'monthly'],
  [`${app}/events`, 'purchase.completed'],
  [`${app}/webhook`, 'HTTP 500'],
  [`${app}/credentials`, clientId],
  [`${app}/changes`, 'putWebhook'],
  [`${app}/settings`, packageName],
  [`${app}/purchases/P-1`, 'What the developer sees'],
  [`${app}/subscriptions/S-1`, 'monthly'],
  [`${app}/deliveries/${delivery?.id}`, 'Attempt 1 got HTTP 500.'],
  [`${app}/lab`, 'Record purchase'],
  ['lab', 'Record purchase'],
  ['subscriptions', 'S-1'],
  ['webhooks', packageName],
  ['audit', 'putWebhook'],
  [`purchases?packageName=${packageName}`, 'P-1'],
  ['purchases?buyerId=B-1', 'P-1'],
  ['purchases?state=voided', 'P-2'],
  ['settings', 'OpenTill '],
  ['nowhere', 'Not found'],
] as const;

test('each page shows its data without an error, accessibly', async () => {
  await using opened = await openSignedIn({ key: adminKey });
  const { page, failures } = opened;
  for (const [path, text] of pages) {
    await page.goto(`${server.operatorUrl}/console/${path}`);
    await page.getByRole('main').getByText(text).filter({ visible: true }).first().waitFor();
    await expectAccessible(page);
    expect(failures, path).toEqual([]);
  }
});

test('the page for signing in is shown without a session', async () => {
  await using opened = await open();
  const { page, failures } = opened;
  await page.goto(`${server.operatorUrl}/console/`);
  await page.getByLabel('Operator key').waitFor();
  await expectAccessible(page);
  expect(failures).toEqual([]);
});
