// Every page of the console in a real browser, in both environments: it shows its data without an error, is accessible in
// both color schemes, and fits the widths of a phone, a laptop and a desktop.

import { describe, expect, test } from 'vitest';
import { expectAccessibleEverywhere, signIn, useConsole } from '../../../../test/support/browser/browser.ts';
import { adminKey, newTestApp, useForFile } from '../../../../test/support/harness.ts';
import { stageEnv } from '../../../../test/support/renewals/renewal-stage.ts';
import { startTestGateway } from '../../../../test/support/renewals/test-gateway.ts';
import { openJob } from '../../../../test/support/webhooks/webhook-stage.ts';

const gateway = await useForFile(startTestGateway());
const environments = {
  sandbox: await useConsole(),
  production: await useConsole({ env: stageEnv(gateway) }),
};

/** Each page takes seconds on a busy machine. */
const timeout = 600_000;

/** How far what is shown moves while a page loads, in the page: good by Core Web Vitals is a tenth. */
const shiftMax = 0.02;
const noteShifts = `globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) shift += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

/** The name of the receiver is not known anywhere, so attempts fail. */
const url = 'https://hooks.invalid/';

/** The paths of the pages, each with a text that is shown when its data have arrived. */
function pagesOf(packageName: string, deliveryId = ''): (readonly [path: string, text: string])[] {
  const app = `apps/${packageName}`;
  return [
    ['', 'Purchase voided'],
    ['find', 'Compares whole ids'],
    ['purchases', 'P-1'],
    ['purchases?state=voided', 'P-2'],
    [`${app}/purchases/P-1`, 'What the developer sees'],
    ['subscriptions', 'S-1'],
    [`${app}/subscriptions/S-1`, 'Paid until'],
    ['buyer?id=B-1', 'O-1'],
    ['reports', 'Nothing was sold or voided'],
    ['reports/statements', 'choose an app'],
    [`reports/statements?packageName=${packageName}`, 'So far'],
    ['apps', packageName],
    [`${app}/purchases`, 'P-1'],
    [`${app}/products`, 'monthly'],
    [`${app}/events`, 'purchase.completed'],
    [`${app}/webhook`, url],
    [`${app}/deliveries/${deliveryId}`, 'Attempt 1'],
    [`${app}/credentials`, 'Expel all tokens'],
    [`${app}/changes`, 'putWebhook'],
    [`${app}/settings`, 'The app is enabled'],
    ['webhooks', packageName],
    ['audit', 'putWebhook'],
    ['settings', 'Not paused store-wide'],
    ['nowhere', 'Not found'],
  ];
}

describe.each(Object.entries(environments))('in %s', (name, { open, operator, server }) => {
  test('each page shows its data without an error, accessibly, in its place, and as wide as its window', {
    timeout,
  }, async () => {
    const { packageName } = await newTestApp(server);
    await operator.putWebhook({ packageName, url });
    const sale = { packageName, buyerId: 'B-1' };
    await operator.recordPurchase({ ...sale, productId: 'coins', purchaseId: 'P-1', orderId: 'O-1' });
    await operator.recordPurchase({ ...sale, productId: 'monthly', purchaseId: 'S-1', orderId: 'O-2' });
    await operator.recordPurchase({ packageName, productId: 'coins', purchaseId: 'P-2' });
    await operator.voidPurchase({ packageName, purchaseId: 'P-2', reasonCode: 'duplicate' });
    await using delivering = openJob(server);
    await delivering.job.runOnce();
    const oldest = (await operator.listDeliveries({ packageName })).deliveries.at(-1);
    const labPages = name === 'sandbox' ? [[`apps/${packageName}/lab`, 'Record purchase'] as const] : [];
    await using page = await open();
    await page.addInitScript(noteShifts);
    await page.goto(`${server.operatorUrl}/console/`);
    await page.getByLabel('Operator key').waitFor();
    await expectAccessibleEverywhere(page);
    await signIn(page, server, { key: adminKey });
    for (const [path, text] of [...pagesOf(packageName, oldest?.id), ...labPages]) {
      await page.evaluate(`shift = 0; history.pushState(null, '', '/console/${path}')`);
      await page.getByRole('main').getByText(text).filter({ visible: true }).first().waitFor();
      expect(await page.evaluate('shift'), path).toBeLessThanOrEqual(shiftMax);
      await expectAccessibleEverywhere(page);
    }
  });
});
