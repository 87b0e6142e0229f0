// Subscriptions that are marked as having an open charge although no attempt is open.

import { expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import { useForFile } from '../harness.ts';
import { eventsOf, firstDue, hourMs, nextSubscription, passTo, startRenewalStage } from './renewal-stage.ts';

const stage = await useForFile(startRenewalStage());

/** More than a job draws a batch from. */
const markedCount = 40;

test('subscriptions marked as having an open charge without an attempt do not starve their app, and are renewed', async () => {
  const marked: string[] = [];
  while (marked.length < markedCount) marked.push(await nextSubscription(stage));
  const sql = `update subscription set open_charge_time = ${firstDue - hourMs}`;
  await query(stage.server.connection, sql);
  const other = await nextSubscription(stage);
  await passTo(stage, firstDue - 1);
  expect(stage.gateway.orders).toEqual([]);
  expect(stage.told.logLines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ level: 40, msg: 'subscriptions had an open charge without an attempt' }),
  );
  await passTo(stage, firstDue);
  for (const id of [...marked, other]) expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});
