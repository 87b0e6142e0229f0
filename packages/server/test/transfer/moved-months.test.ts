// Subscriptions from a store with another calendar: their month stays as it is, and each month after it is a whole one.

import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { expect, test } from 'vitest';
import { operate, useTestServer } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { appLine, exportText, type Line, monthLine, productLine, subscriptionLine } from './lines.ts';
import { imported } from './transfer.ts';

const server = await useTestServer();
const at = (text: string) => Date.parse(`${text}T12:00:00Z`);

interface Month {
  /** The first month of the old store. */
  readonly firstStart?: string;
  readonly index?: number;
  readonly start: string;
  readonly end: string;
}

let apps = 0;

/** Imports a subscription in its last month, advances the clock by three months and returns when months ended. */
async function endsAfter({ start, end, firstStart = start, index = 0 }: Month): Promise<string[]> {
  apps += 1;
  const packageName = `com.example.moved${apps}`;
  const [startTime, expiryTime] = [at(start), at(end)];
  const lines: readonly Line[] = [
    appLine(packageName, apps),
    productLine(packageName, 'monthly', { type: 'subscription' }),
    subscriptionLine(packageName, 's-1', {
      firstStart: at(firstStart),
      expiryTime,
      nextPaymentTime: expiryTime,
      lastPeriodIndex: index,
      lastStartTime: startTime,
    }),
    monthLine(packageName, 's-1', { periodIndex: index, purchaseTime: startTime, startTime, expiryTime }),
    { kind: 'clock', packageName, mode: 'frozen', rate: 1, realTime: startTime, appTime: startTime },
  ];
  await imported(server.connection, exportText(lines));
  const to = expiryTime + 2.5 * 31 * 86_400_000;
  await operate(server, 'POST', `/apps/${packageName}/clock/advance`, { body: { to } });
  const path = { packageName, firstPurchaseId: 's-1' };
  const { body } = await callOperator(server, getSubscription, { path });
  expect(body).toMatchObject({ state: 'active' });
  return (body as { months: { expiryTime: number }[] }).months.map((month) =>
    new Date(month.expiryTime).toISOString().slice(0, 10),
  );
}

test.each<[string, Month, string[]]>([
  [
    'of 62 days',
    { start: '2026-01-10', end: '2026-03-13' },
    ['2026-03-13', '2026-04-13', '2026-05-13', '2026-06-13'],
  ],
  [
    'of the 31st that ended on the 28th',
    { firstStart: '2025-12-31', index: 1, start: '2026-01-31', end: '2026-02-28' },
    ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'],
  ],
])('after a month %s each further month is a whole month of the calendar', async (_, month, ends) => {
  expect(await endsAfter(month)).toEqual(ends);
});
