// The pages that people use most are accessible in the sandbox and in production, whose colors differ.

import { describe, expect, test } from 'vitest';
import { newTestApp, useForFile } from '../../server/test/harness.ts';
import { stageEnv } from '../../server/test/renewals/renewal-stage.ts';
import { startTestGateway } from '../../server/test/renewals/test-gateway.ts';
import { expectAccessibleEverywhere, useConsole } from './browser.ts';

const gateway = await useForFile(startTestGateway());
const environments = {
  sandbox: await useConsole(),
  production: await useConsole({ env: stageEnv(gateway) }),
};

/** Six pages in three looks take long on a busy machine. */
const timeout = 120_000;

describe.each(Object.entries(environments))('%s', (_name, { openSignedIn, operator, server }) => {
  test('overview, reports, purchases, subscriptions and settings are accessible', { timeout }, async () => {
    const { packageName } = await newTestApp(server);
    await operator.recordPurchase({ packageName, productId: 'coins', purchaseId: 'P-1', orderId: 'O-1' });
    await operator.recordPurchase({ packageName, productId: 'monthly', purchaseId: 'S-1' });
    await operator.voidPurchase({ packageName, purchaseId: 'P-1', reasonCode: 'duplicate' });
    await using opened = await openSignedIn();
    const { page, failures } = opened;
    for (const [path, text] of [
      ['', 'Purchase voided'],
      ['reports', 'Nothing was sold or voided'],
      ['purchases', 'P-1'],
      [`apps/${packageName}/purchases/P-1`, 'purchase.voided'],
      ['subscriptions', 'S-1'],
      [`apps/${packageName}/subscriptions/S-1`, 'Paid until'],
      ['settings', 'Not paused as a whole'],
    ]) {
      await page.goto(`${server.operatorUrl}/console/${path}`);
      await page
        .getByRole('main')
        .getByText(text ?? '')
        .filter({ visible: true })
        .first()
        .waitFor();
      await expectAccessibleEverywhere(page);
    }
    expect(failures).toEqual([]);
  });
});
