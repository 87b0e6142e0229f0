// The find page, in a real browser.

import { expect } from 'vitest';
import { newTestApp } from '../../server/test/harness.ts';
import { browserTest, expectAccessibleEverywhere, useConsole } from './browser.ts';

const { openSignedIn, operator, server } = await useConsole();
const { packageName } = await newTestApp(server);
await newTestApp(server);
const orderId = '42';
const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'coins', orderId });
await operator.recordPurchase({ packageName, productId: 'coins', buyerId: orderId });

browserTest(
  'find lists several hits, opens a single one, and explains what was searched without a hit',
  async () => {
    await using opened = await openSignedIn({ path: '/console/find?q=com.example&unknown=1' });
    const { page, failures } = opened;
    await page.getByRole('table', { name: 'Hits' }).getByText(packageName).first().waitFor();
    await expectAccessibleEverywhere(page);
    await page.goto(`${server.operatorUrl}/console/find?q=${orderId}&q=43`);
    await page.getByRole('table', { name: 'Hits' }).getByText('Buyer').waitFor();
    await page.goto(`${server.operatorUrl}/console/find?orderId=${orderId}`);
    await page.waitForURL(`**/purchases/${purchaseId}`);
    await page.goBack();
    await page.goto(`${server.operatorUrl}/console/find?q=GPA.0000-0000-0000-00000`);
    await page.getByText('an order id').waitFor();
    await expectAccessibleEverywhere(page);
    await page.goto(`${server.operatorUrl}/console/find?q=${'x'.repeat(10_000)}`);
    await page.getByText('The values are not valid').waitFor();
    await expectAccessibleEverywhere(page);
    expect(failures).toEqual([]);
  },
);
