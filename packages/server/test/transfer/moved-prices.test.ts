// A store that raised its prices has periods of another price than their subscription: every reader shows that of the period.

import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { expect, test } from 'vitest';
import { callPurchaseApi, operate, requestToken, useTestServer } from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import {
  appLine,
  exportText,
  monthlyLine,
  periodEnd,
  periodLine,
  subscriptionLine,
} from '../../../../test/support/transfer/lines.ts';
import { imported } from '../../../../test/support/transfer/transfer.ts';

const server = await useTestServer();

test('a period of another price than its subscription has it in every API, in events and in statistics', async () => {
  const packageName = 'com.example.raised';
  const startTime = periodEnd - 30 * 86_400_000;
  const paid = { price: 900, currency: 'KRW', developerPayload: 'own' };
  await imported(
    server.connection,
    exportText([
      appLine(packageName, 1),
      monthlyLine(packageName),
      subscriptionLine(packageName, 's-1', { price: 1, currency: 'USD' }),
      periodLine(packageName, 's-1', paid),
      { kind: 'clock', packageName, mode: 'frozen', rate: 1, realTime: startTime, appTime: startTime },
    ]),
  );
  const { body: secret } = await operate(server, 'POST', `/apps/${packageName}/client-secret`, {
    body: { force: true },
  });
  const { body: granted } = await requestToken(server, {
    clientId: packageName,
    clientSecret: secret.clientSecret,
  });
  const { body: details } = await callPurchaseApi(server, {
    token: granted.access_token,
    method: 'GET',
    path: `/recurring-details/s-1/${packageName}`,
  });
  expect(details).toMatchObject({ price: 900, developerPayload: 'own' });

  await operate(server, 'POST', `/apps/${packageName}/subscriptions/s-1/cancel`);
  const path = { packageName, firstPurchaseId: 's-1' };
  const { body } = await callOperator(server, getSubscription, { path });
  expect(body).toMatchObject({ periods: [{ price: 900 }] });
  const { body: events } = await operate(server, 'GET', `/apps/${packageName}/events`);
  expect(events.events).toMatchObject([
    { type: 'subscription.auto_payment_cancelled', record: { price: 900 } },
  ]);
});
