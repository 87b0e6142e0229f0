// What needs attention in the sandbox, and how it is listed, remembered and measured.

import { listAttention } from '@opentill/contract/operator-api/listAttention.ts';
import { redeliverFailed } from '@opentill/contract/operator-api/redeliverFailed.ts';
import { expect, test } from 'vitest';
import {
  attentionMetric,
  attentionOf,
  rememberedMs,
} from '../../../../test/support/calls/attention-calls.ts';
import {
  recordKey,
  startTestServer,
  supportKey,
  testNow,
  useForFile,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import { withoutTable } from '../../../../test/support/stage.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { responding } from '../../../../test/support/webhooks/test-receiver.ts';
import { buy, nextHookedApp, startWebhookStage } from '../../../../test/support/webhooks/webhook-stage.ts';

const stage = await useForFile(startWebhookStage());
const { server, receiver } = stage;

test('a webhook needs attention while its last finished attempt failed, and an event waits that failed twice', async () => {
  const app = await nextHookedApp(stage);
  receiver.react(() => responding(500));
  const failedAt = server.clock.now();
  await buy(stage, app, 'p-1');
  await buy(stage, app, 'p-2');
  await stage.job.runOnce();
  expect(await attentionOf(server, 'webhooks')).toEqual([]);
  await query(server.connection, 'update webhook_delivery set due_time = $2 where package_name = $1', [
    app.packageName,
    failedAt,
  ]);
  await stage.job.runOnce();
  const { packageName } = app;
  const target = { page: 'deliveries', packageName, state: 'waiting' };
  expect(await attentionOf(server, 'webhooks')).toEqual([{ packageName, count: 2, since: failedAt, target }]);
  receiver.react(({ body }) => responding(body.purchaseId === 'p-3' ? 204 : 500));
  await buy(stage, app, 'p-3');
  await stage.job.runOnce();
  expect(await attentionOf(server, 'webhooks')).toEqual([]);
});

test('dead deliveries need attention until they are delivered', async () => {
  const app = await nextHookedApp(stage);
  const { packageName } = app;
  receiver.react(() => responding(500));
  await buy(stage, app, 'p-1');
  await stage.job.runOnce();
  const diedAt = server.clock.now();
  await query(
    server.connection,
    `update webhook_delivery set state = 'dead', due_time = null where package_name = $1`,
    [packageName],
  );
  expect(await attentionOf(server, 'webhooks')).toEqual([
    { packageName, count: 1, since: diedAt, target: { page: 'deliveries', packageName, state: 'dead' } },
  ]);
  receiver.react(() => responding(204));
  await callOperator(server, redeliverFailed, { path: { packageName }, body: { since: testNow } });
  await stage.job.runOnce();
  expect(await attentionOf(server, 'webhooks')).toEqual([]);
});

test('the clock of a server needs attention if it was 5 seconds away from that of the database', async () => {
  const clockOf = (aheadMs: number) => {
    const clock = new TestClock(server.clock.now() + aheadMs);
    return { clock, comparesClocks: true };
  };
  await using close = await startTestServer({ database: server, ...clockOf(4_999) });
  expect(await attentionOf(close, 'clockOff')).toEqual([]);
  for (const aheadMs of [5_000, -5_000]) {
    await using off = await startTestServer({ database: server, ...clockOf(aheadMs) });
    expect(await attentionOf(off, 'clockOff')).toEqual([{ count: 1 }]);
  }
});

test('a response is remembered for 5 seconds, lists at most 20 rows and counts the others', async () => {
  await using own = await startTestServer();
  const read = () => callOperator(own, listAttention, { key: supportKey });
  expect((await read()).body).toEqual({ checkedAt: testNow, rows: [], more: 0 });
  await query(
    own.connection,
    `insert into renewal_pause (package_name, paused_at, paused_by)
      select 'com.example.app' || n, ${testNow} - n, 'operator:admin' from generate_series(10, 31) n`,
  );
  await own.clock.advance(rememberedMs - 1);
  expect((await read()).body.rows).toEqual([]);
  await own.clock.advance(1);
  const { rows, more, checkedAt } = (await read()).body;
  expect([rows.length, more, checkedAt]).toEqual([20, 2, testNow + rememberedMs]);
  expect(rows[0].packageName).toBe('com.example.app31');
  const renewals = await attentionMetric(own, 'renewals');
  expect(Object.keys(renewals)).toHaveLength(1 + 22);
  expect(renewals).toMatchObject({ '': 0, 'com.example.app31': 1 });
  expect(await attentionMetric(own, 'charges')).toEqual({ '': 0 });
  await own.clock.advance(rememberedMs);
  await withoutTable(own, 'renewal_pause', async () => expect((await read()).status).toBe(500));
  expect((await callOperator(own, listAttention, { key: recordKey })).status).toBe(403);
});
