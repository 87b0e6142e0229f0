// A pause of renewals in the sandbox, where nothing expires because of it.

import { advanceClock } from '@opentill/contract/operator-api/advanceClock.ts';
import { getRenewals } from '@opentill/contract/operator-api/getRenewals.ts';
import { pauseRenewals } from '@opentill/contract/operator-api/pauseRenewals.ts';
import { resumeRenewals } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { expect, test } from 'vitest';
import { createTestApp, recordTestPurchase, useTestServer } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';

const server = await useTestServer();
const app = await createTestApp(server);
const { packageName } = app;

test('an advance charges nothing while renewals are paused, and after a resume everything happens at its due time', async () => {
  const advance = async (by: string) =>
    (await callOperator(server, advanceClock, { path: app, body: { by } })).body;
  const { expiryTime } = await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-1' });
  await callOperator(server, pauseRenewals, { body: { packageName } });
  expect(await advance('P70D')).toMatchObject({ count: 0 });
  const { body } = await callOperator(server, getRenewals, { query: { packageName } });
  expect(body).toMatchObject({ due: 1, wouldCharge: 1, wouldExpire: 0 });
  await callOperator(server, resumeRenewals, { body: { packageName } });
  expect(await advance('PT1S')).toMatchObject({
    happened: [
      { type: 'subscription.renewed', eventTime: expiryTime },
      { type: 'subscription.renewed', eventTime: Date.UTC(2026, 4, 15, 12) },
    ],
  });
});
