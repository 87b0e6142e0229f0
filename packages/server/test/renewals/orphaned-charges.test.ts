// Subscriptions that are marked as having an open charge although no attempt is open, which no server writes.

import { expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import { useForFile } from '../harness.ts';
import { eventsOf, firstDue, nextSubscription, passTo, startRenewalStage } from './renewal-stage.ts';

const stage = await useForFile(startRenewalStage());

test('a subscription marked as having an open charge without an attempt is reported and not charged, and blocks no other', async () => {
  const marked = await nextSubscription(stage);
  await query(stage.server.connection, `update subscription set open_charge_time = ${firstDue}`);
  const other = await nextSubscription(stage);
  await passTo(stage, firstDue);
  expect(await eventsOf(stage, marked)).toEqual(['started']);
  expect(await eventsOf(stage, other)).toEqual(['started', 'renewed']);
  expect(stage.told.logLines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ code: 'subscriptionsStuck', firstPurchaseId: marked }),
  );
});
