// Subscriptions from a store with another calendar: their month stays as it is, and each month after it is a whole one.

import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { expect, test } from 'vitest';
import { operate, useTestServer } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { appLine, exportText, type Line, monthLine, productLine, subscriptionLine } from './lines.ts';
import { imported } from './transfer.ts';

const server = await useTestServer();
const at = (day: string) => Date.parse(`${day}T12:00:00Z`);

test('after a month of 62 days each further month is a whole month of the calendar', async () => {
  const packageName = 'com.example.moved';
  const [startTime, expiryTime] = [at('2026-01-10'), at('2026-03-13')];
  const subscription = { firstStart: startTime, lastStartTime: startTime };
  const lines: readonly Line[] = [
    appLine(packageName, 1),
    productLine(packageName, 'monthly', { type: 'subscription' }),
    subscriptionLine(packageName, 's-1', { ...subscription, expiryTime, nextPaymentTime: expiryTime }),
    monthLine(packageName, 's-1', { purchaseTime: startTime, startTime, expiryTime }),
    { kind: 'clock', packageName, mode: 'frozen', rate: 1, realTime: startTime, appTime: startTime },
  ];
  await imported(server.connection, exportText(lines));
  await operate(server, 'POST', `/apps/${packageName}/clock/advance`, { body: { to: at('2026-05-20') } });
  const path = { packageName, firstPurchaseId: 's-1' };
  const { body } = await callOperator(server, getSubscription, { path });
  const ends = ['2026-03-13', '2026-04-13', '2026-05-13', '2026-06-13'].map(at);
  expect(body).toMatchObject({ state: 'active', months: ends.map((end) => ({ expiryTime: end })) });
});
