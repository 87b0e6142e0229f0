// Subscriptions from a store with another calendar: their period stays as it is, and no later one ends too early.

import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { expect, test } from 'vitest';
import { operate, useTestServer } from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import {
  appLine,
  exportText,
  type Line,
  monthlyLine,
  periodLine,
  subscriptionLine,
} from '../../../../test/support/transfer/lines.ts';
import { imported } from '../../../../test/support/transfer/transfer.ts';

const server = await useTestServer();
const at = (time: string) => Date.parse(`${time}Z`);

test.each([
  [
    'a period of 45 days',
    1,
    '2026-01-10T12:00',
    ['2026-02-24T12:00', '2026-03-24T12:00', '2026-04-24T12:00'],
  ],
  [
    'a February that ends late',
    2,
    '2026-01-31T12:00',
    ['2026-02-28T13:00', '2026-03-31T12:00', '2026-04-30T12:00'],
  ],
])('after %s each further period ends by the calendar', async (_, number, start, ends) => {
  const packageName = `com.example.moved${number}`;
  const [startTime, expiryTime = 0] = [at(start), ...ends.map(at)];
  const subscription = { firstStartTime: startTime, lastStartTime: startTime };
  const lines: readonly Line[] = [
    appLine(packageName, number),
    monthlyLine(packageName),
    subscriptionLine(packageName, 's-1', { ...subscription, expiryTime, nextPaymentTime: expiryTime }),
    periodLine(packageName, 's-1', { purchaseTime: startTime, startTime, expiryTime }),
    { kind: 'clock', packageName, mode: 'frozen', rate: 1, realTime: startTime, appTime: startTime },
  ];
  await imported(server.connection, exportText(lines));
  const to = at(ends[1] ?? '');
  await operate(server, 'POST', `/apps/${packageName}/clock/advance`, { body: { to } });
  const path = { packageName, firstPurchaseId: 's-1' };
  const { body } = await callOperator(server, getSubscription, { path });
  expect(body).toMatchObject({ state: 'active', periods: ends.map((end) => ({ expiryTime: at(end) })) });
});
