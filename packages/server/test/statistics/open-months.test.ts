// getStatistics: months that are due and neither paid nor lost, and subscriptions whose paid time is over.

import { getStatistics } from '@opentill/contract/operator-api/getStatistics.ts';
import type { Statistics } from '@opentill/contract/statistics.ts';
import { expect, test } from 'vitest';
import { minuteMs } from '../../src/domain/time.ts';
import { useForFile } from '../harness.ts';
import { callOperator } from '../http/checked-call.ts';
import { firstDue, hourMs, nextSubscription, passTo, startRenewalStage } from '../renewals/renewal-stage.ts';
import { openDatabase } from '../store/open-database.ts';
import { countAll } from './counting.ts';

const stage = await useForFile(startRenewalStage());
const { server, clock, gateway } = stage;
const database = await useForFile(openDatabase(server.connection, 3));

test('a declined month is open at once, one without an answer an hour after it fell due, until it is paid or lost', async () => {
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
