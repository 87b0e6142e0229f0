// getStatistics: periods that are due and neither paid nor lost, and subscriptions whose paid time is over.

import { getStatistics } from '@opentill/contract/operator-api/getStatistics.ts';
import type { Statistics } from '@opentill/contract/statistics.ts';
import { expect, test } from 'vitest';
import { operatorOf, recordTestPurchase, useForFile } from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import {
  firstDue,
  hourMs,
  nextSubscription,
  passTo,
  startRenewalStage,
} from '../../../../test/support/renewals/renewal-stage.ts';
import { countAll } from '../../../../test/support/statistics/counting.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { dayMs, minuteMs } from '../../src/domain/time.ts';

const stage = await useForFile(startRenewalStage());
const { server, clock, gateway } = stage;
const database = await useForFile(openDatabase(server.connection, 3));

test('a declined period is open at once, one without an answer an hour after it fell due, until it is paid or lost', async () => {
  const [declined, pending] = [await nextSubscription(stage), await nextSubscription(stage)];
  await nextSubscription(stage);
  const read = async (by: string) => {
    await countAll(database);
    const query = { from: '2026-02-01', to: '2026-03-01', by };
    const { unpaid, rows }: Statistics = (await callOperator(server, getStatistics, { query })).body;
    const counts = rows.map(({ period, open, renewedFirst, renewedLater, lost, active }) => ({
      ...{ period, open, paid: renewedFirst + renewedLater, lost, active },
    }));
    return { unpaid, counts };
  };
  gateway.decide(({ firstPurchaseId }) => ({
    outcome: firstPurchaseId === declined ? 'declined' : firstPurchaseId === pending ? 'pending' : 'paid',
  }));
  await passTo(stage, firstDue);
  const unpaid = [{ currency: 'EUR', subscriptions: 2 }];
  const row = { period: '2026-02-28', open: 1, paid: 1, lost: 0, active: 3 };
  await clock.set(firstDue + hourMs - minuteMs);
  expect(await read('day')).toEqual({ unpaid, counts: [row] });
  await clock.set(firstDue + hourMs);
  expect(await read('day')).toEqual({ unpaid, counts: [{ ...row, open: 2 }] });
  expect((await read('app')).counts).toMatchObject([{ open: 2, paid: 1, active: undefined }]);
  gateway.decide(() => ({ outcome: 'paid' }));
  await stage.job.runOnce();
  await clock.advance(hourMs);
  await stage.job.runOnce();
  expect(await read('day')).toEqual({ unpaid: [], counts: [{ ...row, open: 0, paid: 3 }] });
});

test('a weekly subscription that has ended is unpaid until its expiry is written', async () => {
  const { packageName } = stage.app;
  const operator = operatorOf(server);
  const weekly = {
    productId: 'weekly',
    type: 'subscription',
    price: 99,
    currency: 'CHF',
    period: 'P1W',
  } as const;
  await operator.putProduct({ packageName, ...weekly });
  const { purchaseId } = await recordTestPurchase(server, stage.app, { productId: 'weekly', orderId: 'w' });
  await operator.cancelSubscription({ packageName, firstPurchaseId: purchaseId });
  await clock.advance(8 * dayMs);
  const read = async () =>
    (await operator.getStatistics({ packageName, from: '2026-02-01', to: '2026-03-15' })).unpaid;
  expect(await read()).toEqual([{ currency: 'CHF', subscriptions: 1 }]);
  await stage.job.runOnce();
  expect(await read()).toEqual([]);
});
